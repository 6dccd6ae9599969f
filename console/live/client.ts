import type { ApiObject } from '#console/model/api-objects.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
  textAt,
} from '#shared/core/json.ts';
import { QUERY_ENDED } from '#shared/core/status-api/query-ended.ts';

/** The API of what each WEC reports (docs/api.md). */
export const API = '/apis/status.starfold.dev/v1alpha1';
/** So many objects are read at a time, as kubectl does. */
const PAGE = '500';

/** The API has refused a request. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: number;
  readonly reason: string;
  /** `details` of the Status that the API has answered. */
  readonly details: JsonValue;

  constructor(
    message: string,
    { code, reason, details }: Pick<ApiProblem, 'code' | 'reason' | 'details'>,
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }
}

function isOfEnded(details: JsonValue | undefined): boolean {
  const causes = at(details, 'causes');
  return isArray(causes) && causes.some((cause) => textAt(cause, 'reason') === QUERY_ENDED);
}

/** Whether an error says that the evaluation of a question was ended. The same question would be ended again. */
export function isQueryEnded(error: Error): boolean {
  return error instanceof ApiProblem && isOfEnded(error.details);
}

/** The API does not answer at all, or what it needs does not. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';
  /** What a server on the way says about it. Absent if nothing answers. */
  readonly said?: string;

  constructor(message: string, options?: ErrorOptions & { readonly said?: string }) {
    super(message, options);
    if (options?.said !== undefined) this.said = options.said;
  }
}

type Query = Readonly<Record<string, string>>;

/** With these, a server says that one behind it does not answer, or that it cannot answer itself for now. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

function problemOf(code: number, body: string): ApiProblem | NotConnected {
  let status: JsonValue;
  try {
    status = parseJson(body);
  } catch {
    // Something else than the API has answered.
    status = {};
  }
  const message = textAt(status, 'message') || `HTTP ${code}`;
  if (AWAY.has(code) && !isOfEnded(at(status, 'details')))
    return new NotConnected(message, { said: message });
  return new ApiProblem(message, {
    ...{ code, reason: textAt(status, 'reason') },
    details: at(status, 'details') ?? null,
  });
}

async function asked(path: string, query: Query, init: RequestInit): Promise<Response> {
  const search = new URLSearchParams(query);
  let response: Response;
  try {
    response = await fetch(`${path}${search.size === 0 ? '' : `?${search}`}`, init);
  } catch (error) {
    init.signal?.throwIfAborted();
    throw new NotConnected('the API does not answer', { cause: error });
  }
  if (response.ok) return response;
  throw problemOf(response.status, await response.text());
}

/** An answer that takes longer is given up: the connections of the browser to the server may all be taken. */
const ANSWER_MS = 15_000;
/** A question may wait for others. When the API ends it, after 20 seconds, the answer says what to change. */
const QUERY_ANSWER_MS = 60_000;

/** An answer that ends. */
interface Answered<Body = JsonValue> {
  readonly body: Body;
  readonly warnings: readonly string[];
}

/** The texts of the header `Warning` with which Kubernetes warns (RFC 7234, section 5.5). */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g;

function warningsOf(headers: Headers): readonly string[] {
  const found = (headers.get('warning') ?? '').matchAll(WARNING);
  return [...found].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}

async function answered(
  path: string,
  query: Query,
  {
    signal,
    answerMs = ANSWER_MS,
    ...init
  }: RequestInit & { readonly signal: AbortSignal; readonly answerMs?: number },
): Promise<Answered> {
  const late = AbortSignal.timeout(answerMs);
  try {
    const response = await asked(path, query, { ...init, signal: AbortSignal.any([signal, late]) });
    return { body: parseJson(await response.text()), warnings: warningsOf(response.headers) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiProblem || error instanceof NotConnected) throw error;
    const why = late.aborted ? `no answer in ${answerMs / 1_000} s` : 'the answer was cut off';
    throw new NotConnected(why, { cause: error });
  }
}

/**
 * Gets one object.
 *
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function getObject<T extends ApiObject>(
  path: string,
  query: Query,
  signal: AbortSignal,
): Promise<T> {
  return (await answered(path, query, { signal })).body as unknown as T;
}

/**
 * Creates an object that is answered and stored nowhere: a query.
 *
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function askApi(
  path: string,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Answered<JsonObject>> {
  const headers = { 'content-type': 'application/json' };
  const answerMs = QUERY_ANSWER_MS;
  const init = { method: 'POST', headers, body: stringifyJson(body), signal, answerMs };
  return (await answered(path, {}, init)) as Answered<JsonObject>; // the API answers with the object
}

/**
 * Gets a document of another API of the same server. Undefined if it does not have it.
 *
 * @throws NotConnected; the reason of the signal
 */
export async function getDocument(
  path: string,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  try {
    const headers = { accept: 'application/json' };
    const { body } = await answered(path, {}, { signal, headers });
    return isObject(body) ? body : undefined;
  } catch (error) {
    if (error instanceof ApiProblem) return undefined;
    throw error;
  }
}

/** A page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The revision at which the list was begun. */
  readonly revision: string;
  /** What the server warns of, such as objects that are left out. */
  readonly warnings: readonly string[];
}

interface ListBody<T> {
  readonly items: readonly T[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

/**
 * Lists objects, page by page.
 *
 * @param query with `limit`, so many objects a page. Default: 500
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function* listPages<T extends ApiObject>(
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<Page<T>> {
  let next: string | undefined = '';
  while (next !== undefined) {
    const more: Query = next === '' ? {} : { continue: next };
    const answer = await answered(path, { limit: PAGE, ...query, ...more }, { signal });
    const body = answer.body as unknown as ListBody<T>;
    const { warnings } = answer;
    yield { items: body.items, revision: body.metadata.resourceVersion, warnings };
    next = body.metadata.continue;
  }
}

/** An event of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

/**
 * Watches objects from a revision on. It ends when the server ends it.
 *
 * @throws ApiProblem; NotConnected; the reason of the signal
 */
export async function* watchEvents<T extends ApiObject>(
  path: string,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const response = await asked(path, { ...query, watch: 'true' }, { signal });
  if (response.body === null) return;
  try {
    for await (const line of linesOf(response.body))
      yield parseJson(line) as unknown as WatchEvent<T>;
  } catch (error) {
    signal.throwIfAborted();
    throw new NotConnected('the watch was cut off', { cause: error });
  }
}
