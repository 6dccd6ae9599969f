import { errorAnswer, JSON_TYPE } from '#shared/api/answers.ts';
import type { ApiAnswer, ApiRequest } from '#shared/api/api-request.ts';
import { NOT_JSON } from '#shared/api/query-messages.ts';
import { MAX_QUERY_BYTES } from '#shared/api/query-request.ts';
import { requestText } from '#shared/api/request-text.ts';
import { badRequest, StatusError, unavailable } from '#shared/api/status-error.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { ApiForbiddenError, ApiUnavailableError, AppError } from '#shared/errors.ts';
import {
  BODY_NOT_AN_OBJECT,
  notAnApiServer,
  notAnswering,
  unusableCredentials,
  upstreamFault,
} from './messages.ts';

/** A request to a server. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** The path with its escapes, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly body?: JsonObject;
  /** Ends the request, and the body of its answer. */
  readonly signal: AbortSignal;
}

/** An answer of a server. Errors are answers, too. */
interface UpstreamAnswer {
  readonly code: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body in pieces, as they come. Reading it throws if it is cut off. */
  readonly body: AsyncIterable<string>;
}

/** A server with the credentials of a user. */
export interface Upstream {
  /** For messages: `https://wds:6443`. */
  readonly name: string;
  /** @throws if there is no answer */
  ask(request: UpstreamRequest): Promise<UpstreamAnswer>;
}

/**
 * All that the page needs of an answer's headers. Others belong to the connection (RFC 9110, section 7.6.1), or would make the
 * browser do something, such as asking for a password.
 */
const PASSED = ['retry-after', 'warning'];

function passedHeaders(headers: UpstreamAnswer['headers']): Readonly<Record<string, string>> {
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return { ...passed, 'content-type': JSON_TYPE };
}

/** An API server says of the list of its OpenAPI documents, which is JSON, that it is plain text. */
function mayBeJson({ headers }: UpstreamAnswer): boolean {
  return /^(?:application\/json|text\/plain)\s*(?:;|$)/i.test(headers['content-type'] ?? '');
}

/** An answer of something else than an API server, such as the page of a gateway: it must not become a page of this server. */
function badGateway({ name }: Upstream, { code, headers }: UpstreamAnswer): ApiAnswer {
  const message = notAnApiServer(name, code, headers['content-type']);
  return errorAnswer(new StatusError({ code: 502, reason: 'BadGateway' }, message));
}

/**
 * Whether there were no credentials to send. The message of such an error has what a program of the kubeconfig has written, which
 * may be secret. Every program on this machine can read what the page is told.
 */
export function isAboutCredentials(error: unknown): boolean {
  return error instanceof ApiForbiddenError && error.unauthenticated;
}

/** An address without the name and password that it may have. */
export function withoutUserInfo(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}

/** What the page is told if there is no answer. It retries. */
function unanswered({ name }: Upstream, error: unknown): unknown {
  if (error instanceof ApiUnavailableError)
    return unavailable(notAnswering(name, error.reason), error);
  if (isAboutCredentials(error)) return unavailable(unusableCredentials(name), error);
  return error instanceof AppError ? unavailable(upstreamFault(name, error.message), error) : error;
}

async function discard(body: AsyncIterable<string>): Promise<void> {
  for await (const _piece of body) return;
}

/** A watch that is cut off ends here in good order: the client lists again, and is told then what is wrong. */
async function* untilCut(body: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* body;
  } catch {
    // What has come until now is whole lines, and perhaps a part of one, which no client takes for a line.
  }
}

function isWatch({ query }: ApiRequest): boolean {
  const watch = query.get('watch');
  return watch === 'true' || watch === '1';
}

async function bodyOf({ method, body }: ApiRequest): Promise<{ readonly body?: JsonObject }> {
  if (method !== 'POST') return {};
  const text = await requestText(body, MAX_QUERY_BYTES);
  let read: JsonValue;
  try {
    read = parseJson(text);
  } catch (error) {
    throw badRequest(NOT_JSON, { cause: error });
  }
  if (!isObject(read)) throw badRequest(BODY_NOT_AN_OBJECT);
  return { body: read };
}

/**
 * Sends a request to a server, and passes its answer on. Nothing of the browser's own headers is sent: neither cookies nor
 * credentials. The browser is told that the answer is JSON, whatever it is.
 *
 * @param path the path that is sent, with its escapes
 * @throws StatusError 400 for a body that is no JSON object, 503 if the server does not answer
 */
export async function proxied(
  upstream: Upstream,
  path: string,
  request: ApiRequest,
): Promise<ApiAnswer> {
  const { query, signal } = request;
  const method = request.method === 'POST' ? 'POST' : 'GET';
  const asked = { method, path, query, accept: JSON_TYPE, signal } as const;
  const body = await bodyOf(request);
  const answer = await upstream.ask({ ...asked, ...body }).catch((error: unknown) => {
    throw unanswered(upstream, error);
  });
  if (!mayBeJson(answer)) {
    await discard(answer.body).catch(() => undefined);
    return badGateway(upstream, answer);
  }
  const isStream = answer.code === 200 && isWatch(request);
  return {
    code: answer.code,
    headers: passedHeaders(answer.headers),
    body: isStream ? untilCut(answer.body) : answer.body,
    isStream,
  };
}
