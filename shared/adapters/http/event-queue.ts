import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { checkMessages } from '#shared/adapters/message-limits.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type { MessageSender, OutgoingMessage } from '#shared/ports/message-queue.ts';
import { createCachedFile } from './cached-file.ts';
import { EVENTS_PATH, isToken, MAX_REQUEST_MESSAGES, STATE_HEADER } from './event-intake.ts';
import { exchange } from './exchange.ts';
import {
  largeRequest,
  NO_TOKEN,
  NO_URL,
  noAnswer,
  OTHER_SERVER,
  RETRIED,
  redirected,
  unknownAuthority,
  unknownToken,
  urlWithUser,
} from './messages.ts';

/** The answer to a request. */
interface Answer {
  /** Identifies the state of the receiver. Absent if the receiver does not name it. */
  readonly state?: string;
  readonly status: number;
  /** The beginning of the body. */
  readonly text: string;
  readonly location?: string;
}

/** Details of a request, for messages. */
interface RequestContext {
  readonly url: string;
  readonly tokenFile: string;
  readonly caFile?: string;
  /** The compressed size of the request. */
  readonly bytes: number;
}

const MAX_TEXT_CHARACTERS = 300;

/** Node's error codes for certificates that no known authority has signed (Node.js, "TLS", X509 certificate error codes). */
const UNKNOWN_AUTHORITY =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

/** What to do about an answer other than 202. */
function remedyOf({ status, location = '' }: Answer, { tokenFile, bytes }: RequestContext): string {
  if (status === 401) return unknownToken(tokenFile);
  if (status === 413) return largeRequest(bytes);
  if (status >= 300 && status < 400) return redirected(location);
  return status === 429 || status >= 500 ? RETRIED : OTHER_SERVER;
}

/** The fault of an answer other than 202, with the remedy. */
function answerFault(answer: Answer, context: RequestContext): string {
  const text = answer.text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TEXT_CHARACTERS);
  const detail = text === '' ? '' : ` (${text})`;
  return `POST ${context.url}: ${answer.status}${detail}: ${remedyOf(answer, context)}`;
}

/** The reason why there is no answer, with the remedy if there is a known one. */
function connectionFault(error: unknown, { url, caFile }: RequestContext): string {
  const { code, message } = error as NodeJS.ErrnoException; // Node's errors; both members may be absent.
  const reason = [code, message].filter((part) => part !== undefined && part !== '').join(': ');
  const remedy = UNKNOWN_AUTHORITY.test(code ?? '') ? `; ${unknownAuthority(caFile)}` : '';
  return `POST ${url}: ${reason || String(error)}${remedy}`;
}

/** The receiver of events, and the sender's token. */
export interface HttpEventQueueOptions {
  /** The URL of the receiver (`starfold start --listen`), without `/v1/events`: `https://starfold.example.com:8443`. */
  readonly url: string;
  /** The file that contains the token. It is read again if it has changed. */
  readonly tokenFile: string;
  /**
   * A file with the certificates (PEM) of the authorities that sign the receiver's certificate. It is read again if it has
   * changed. Default: Node's own.
   */
  readonly caFile?: string;
  /** The timeout of a request in milliseconds. Default: 2 minutes. */
  readonly timeoutMs?: number;
  /** The agents that make the connections, by the URL's protocol. Default: Node's own agents, which do not use a proxy. */
  readonly agents?: { readonly httpAgent: HttpAgent; readonly httpsAgent: HttpsAgent };
}

/** The same as the receiver's timeout for a request. */
const TIMEOUT_MS = 120_000;
/** The maximum size of the JSON in a request of several messages, so that a slow connection can send it in time. */
const REQUEST_BYTES = 4 * 1024 * 1024;
const MAX_ANSWER_BYTES = 16 * 1024;

const compressed = promisify(gzip);

/** The requests for some messages, in order, each as JSON. */
function* requestsOf(messages: readonly OutgoingMessage[]): Generator<string> {
  let some: string[] = [];
  let bytes = 0;
  for (const { body } of messages) {
    const text = JSON.stringify(body);
    bytes += Buffer.byteLength(text);
    if (some.length === MAX_REQUEST_MESSAGES || (some.length > 0 && bytes > REQUEST_BYTES)) {
      yield `{"messages":[${some.join(',')}]}`;
      some = [];
      bytes = Buffer.byteLength(text);
    }
    some.push(text);
  }
  if (some.length > 0) yield `{"messages":[${some.join(',')}]}`;
}

function parseToken(text: string): string {
  const token = text.trim();
  if (!isToken(token)) throw new Error(NO_TOKEN);
  return token;
}

function unavailable(text: string, cause?: unknown): QueueUnavailableError {
  return new QueueUnavailableError(text, { cause });
}

/** Removes user and password from a URL that another party wrote. */
function withoutUser(url: string): string {
  return url.replace(/^([a-z][-a-z0-9+.]*:)?\/\/[^/?#]*@/i, '$1//');
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length > MAX_ANSWER_BYTES) break;
  }
  return {
    status,
    text,
    ...(headers.location === undefined ? {} : { location: withoutUser(headers.location) }),
    ...(typeof headers[STATE_HEADER] === 'string' ? { state: headers[STATE_HEADER] } : {}),
  };
}

/** The URL for requests. No error quotes the given text, because it may contain a password. */
function eventsUrl(text: string): URL {
  const url = URL.parse(`${text.replace(/\/+$/, '')}${EVENTS_PATH}`);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) throw new TypeError(NO_URL);
  if (url.username !== '' || url.password !== '') throw new TypeError(urlWithUser(url.host));
  return url;
}

class HttpEventQueue implements MessageSender {
  readonly #options: HttpEventQueueOptions;
  readonly #url: URL;
  readonly #agent: HttpAgent;
  readonly #token: () => Promise<string>;
  readonly #authorities: () => Promise<string | undefined>;
  #state: string | undefined;

  constructor(options: HttpEventQueueOptions) {
    const { url, tokenFile, caFile, agents } = options;
    this.#options = options;
    this.#url = eventsUrl(url);
    const Agent = this.#isSecure ? HttpsAgent : HttpAgent;
    this.#agent =
      (this.#isSecure ? agents?.httpsAgent : agents?.httpAgent) ?? new Agent({ keepAlive: true });
    this.#token = createCachedFile(tokenFile, parseToken);
    this.#authorities =
      caFile === undefined ? async () => undefined : createCachedFile(caFile, (text) => text);
  }

  get #isSecure(): boolean {
    return this.#url.protocol === 'https:';
  }

  async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<void> {
    checkMessages(messages, false);
    for (const request of requestsOf(messages)) await this.#post(request, signal);
  }

  receiverState(): string | undefined {
    return this.#state;
  }

  async #read<T>(what: string, file: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const { message } = error as Error; // Both the system and parseToken throw errors.
      throw unavailable(`${what} ${file}: ${message}`, error);
    }
  }

  async #post(text: string, signal: AbortSignal | undefined): Promise<void> {
    const { tokenFile, caFile = '' } = this.#options;
    if (signal?.aborted) throw unavailable('send', signal.reason);
    const token = await this.#read('token file', tokenFile, this.#token);
    const ca = await this.#read('caFile', caFile, this.#authorities);
    const body = await compressed(text, { level: constants.Z_BEST_SPEED });
    const context = { ...this.#options, url: this.#url.href, bytes: body.length };
    const answer = await this.#answer({ body, token, ca }, context, signal);
    if (answer.status !== 202) throw unavailable(answerFault(answer, context));
    this.#state = answer.state;
  }

  /** Sends the request and returns the answer. Fails if there is none in time. */
  async #answer(
    content: { readonly body: Buffer; readonly token: string; readonly ca: string | undefined },
    context: RequestContext,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const ended = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    try {
      return await this.#exchange(content, ended);
    } catch (error) {
      if (signal?.aborted) throw unavailable('send', signal.reason);
      const fault = late.signal.aborted
        ? `POST ${context.url}: ${noAnswer(timeoutMs / 1000)}`
        : connectionFault(error, context);
      throw unavailable(fault, error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #exchange(
    { body, token, ca }: { body: Buffer; token: string; ca: string | undefined },
    signal: AbortSignal,
  ): Promise<Answer> {
    const options = {
      method: 'POST',
      agent: this.#agent,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.length,
      },
    };
    const start = (): ClientRequest =>
      this.#isSecure
        ? requestHttps(this.#url, { ...options, ...(ca === undefined ? {} : { ca }) })
        : requestHttp(this.#url, options);
    // Safe to send twice: events have versions, and a known version is not recorded again.
    return answerOf(await exchange(start, body));
  }
}

/**
 * Creates the events queue of an embedded stack in another process, which is reached over HTTP. `send` accepts any number of
 * messages and sends them in order, in requests of at most ten. It retries a request only if a kept connection turned out to be
 * closed. All other retries are up to the caller. If it throws, some of the first messages may have been stored.
 *
 * It throws QueueUnavailableError if a request ends in any other way than with 202: no connection, no answer in time, an abort,
 * an unusable token file, another status. The message names the URL or file and, if there is one, the remedy. It never contains
 * the token. MessageTooLargeError is thrown before anything is sent.
 *
 * @throws TypeError if the URL is neither http nor https, or has a user or password.
 */
export function createHttpEventQueue(options: HttpEventQueueOptions): MessageSender {
  return new HttpEventQueue(options);
}
