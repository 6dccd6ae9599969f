import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVENTS_PATH, STATE_HEADER } from '#shared/adapters/http/event-intake.ts';
import { close, listen, serverUrl } from '#shared/adapters/http/listen.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { Debts } from '#shared/debts.ts';
import { QueueFullError, QueueUnavailableError } from '#shared/errors.ts';
import { SECURITY_HEADERS } from '#shared/runtime/http-headers.ts';
import { addressError } from './address-error.ts';
import { Admission, tooManyRequests } from './admission.ts';
import { followCertificate } from './certificate-file.ts';
import { Connections } from './connections.ts';
import { type IntakeLimits, LIMITS } from './intake-limits.ts';
import {
  allowedMethods,
  INTERNAL_ERROR,
  NO_TOKEN,
  OTHER_PATH,
  QUEUE_UNAVAILABLE,
  STARTING,
  sendLater,
} from './messages.ts';
import { Refusal } from './refusal.ts';
import { readMessages } from './request-body.ts';
import type { CertificateFiles } from './tls-files.ts';
import type { TokenBook } from './token-book.ts';

/** The options of the server that receives events by HTTP. */
export interface IntakeOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** If absent, the server does not use TLS. */
  readonly tls?: CertificateFiles;
  readonly tokens: TokenBook;
  /**
   * Stores the messages of a source. They are durable when it returns. Throws QueueFullError if the source must wait.
   */
  readonly take: (source: EventSource, bodies: readonly string[]) => Promise<void>;
  /** Whether messages can be taken now. Default: always. */
  readonly isReady?: () => boolean;
  /** Identifies the state in which messages are stored, or returns `undefined` if it is not known. */
  readonly state?: () => string | undefined;
  /** Called with errors that neither a sender nor the queue caused. */
  readonly onError: (error: unknown) => void;
  /** Called with the problem if a changed certificate or key cannot be used, and with `undefined` when it is solved. */
  readonly onCertificateFault?: (fault: string | undefined) => void;
  readonly limits?: Partial<IntakeLimits>;
}

/** A running server. */
export interface Intake {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Accepts no more requests, and waits a moment for requests in progress. */
  stop(): Promise<void>;
}

/** How often connections are checked for operations that take too long, in parts of the shortest time. */
const CHECKS = 4;
const BEARER = /^Bearer +(\S+) *$/i;

/** The answer to a request. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a whole answer. Whether the connection is closed is decided when the request ends. */
function respond(response: ServerResponse, { status, text, headers = {} }: Answer): void {
  const bytes = Buffer.from(text === '' ? '' : `${text}\n`);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': bytes.length,
    ...headers,
  });
  response.write(bytes);
}

function allow(method: string, allowed: readonly string[]): void {
  const list = allowed.join(', ');
  if (!allowed.includes(method)) throw new Refusal(405, allowedMethods(list), { allow: list });
}

class IntakeServer {
  readonly #options: IntakeOptions;
  readonly #limits: IntakeLimits;
  readonly #admission: Admission;
  readonly #connections: Connections;
  readonly #rates: Debts;
  readonly #server: Server;
  #isStopping = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#admission = new Admission(this.#limits);
    this.#connections = new Connections(this.#limits);
    this.#rates = new Debts(this.#limits.rateOfToken);
    this.#server = this.#create((request, response) => {
      if (this.#connections.begin(request, response)) void this.#serve(request, response);
    });
    this.#server.maxConnections = this.#limits.connections;
    this.#connections.watch(this.#server);
  }

  #create(listener: RequestListener): Server {
    const { headMs, requestMs, strangerIdleMs, certificateMs } = this.#limits;
    const times = {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      keepAliveTimeout: strangerIdleMs,
      connectionsCheckingInterval: Math.min(headMs, requestMs) / CHECKS,
    };
    const { tls, onCertificateFault = () => undefined } = this.#options;
    if (tls === undefined) return createServer(times, listener);
    const looks = { everyMs: certificateMs, onFault: onCertificateFault };
    const server = createSecureServer({ ...times, handshakeTimeout: headMs }, listener);
    followCertificate(server, tls, looks);
    return server;
  }

  async start(): Promise<Intake> {
    const { host, port, tls, onError } = this.#options;
    const taken = await listen(this.#server, { host, port }).catch((error: unknown) => {
      throw addressError(host, port, error);
    });
    this.#server.on('error', onError);
    const scheme = tls === undefined ? 'http' : 'https';
    return { url: serverUrl(scheme, { host, port: taken }), stop: () => this.#stop() };
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    await close(this.#server, this.#limits.stopMs);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request, response).catch((error: unknown) =>
      this.#refused(error),
    );
    // A sender that has disconnected gets no answer. Its messages may have been stored, and it sends them again.
    if (response.destroyed || answer === undefined) return;
    const left = this.#connections.countStranger(request);
    if (left < 0) {
      // Requests that were sent before the answers: more of them would cost as much as a flood of events.
      request.socket.destroy();
      return;
    }
    const isCut = !request.complete && this.#connections.isStranger(request);
    const closes = this.#isStopping || isCut || left === 0 ? { connection: 'close' } : {};
    respond(response, { ...answer, headers: { ...answer.headers, ...closes } });
    if (isCut) await this.#drain(request);
    response.end();
  }

  /**
   * Discards the rest of an answered request for a moment. If the connection were closed immediately, a sender that is
   * still sending could not read the answer.
   */
  async #drain(request: IncomingMessage): Promise<void> {
    const signal = AbortSignal.timeout(this.#limits.strangerRestMs);
    // It also ends after that time, or when the sender disconnects.
    await once(request.resume(), 'close', { signal }).catch(() => undefined);
  }

  /** Whose token the request has, if there is one and it is known. */
  async #sourceOf({ headers }: IncomingMessage): Promise<EventSource | undefined> {
    const [, token] = BEARER.exec(headers.authorization ?? '') ?? [];
    return token === undefined ? undefined : this.#options.tokens.sourceOf(token);
  }

  /**
   * Lets a request wait if its token has had too many. A refusal would cost as much as the request, and the sender would repeat it.
   *
   * @throws Refusal if the request would wait for too long, or its sender has disconnected
   */
  async #pace(owner: string, signal: AbortSignal): Promise<void> {
    const now = Date.now();
    this.#rates.add(owner, 1, now);
    const ms = this.#rates.waitMs(owner, now);
    if (ms > this.#limits.waitMs) {
      this.#rates.add(owner, -1, now);
      throw tooManyRequests();
    }
    if (ms > 0)
      await sleep(ms, undefined, { signal }).catch(() => {
        throw tooManyRequests();
      });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const { method = '', url = '' } = request;
    const [path] = url.split('?');
    if (path === '/healthz' || path === '/readyz') {
      allow(method, ['GET', 'HEAD']);
      const isReady = path === '/healthz' || (this.#options.isReady?.() ?? true);
      return isReady ? { status: 200, text: 'ok' } : { status: 503, text: STARTING };
    }
    if (path !== EVENTS_PATH) throw new Refusal(404, OTHER_PATH);
    allow(method, ['POST']);
    const source = await this.#sourceOf(request);
    if (source === undefined) throw new Refusal(401, NO_TOKEN, { 'www-authenticate': 'Bearer' });
    return this.#take(request, response, source);
  }

  async #take(
    request: IncomingMessage,
    response: ServerResponse,
    source: EventSource,
  ): Promise<Answer> {
    const { take } = this.#options;
    this.#connections.trust(request, response);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await this.#pace(sourceText(source), gone.signal);
    const slot = await this.#admission.enter(sourceText(source), gone.signal);
    try {
      const messages = await readMessages(request, this.#limits, slot.signal);
      slot.keep();
      await take(source, messages);
      const state = this.#options.state?.();
      const headers = state === undefined ? {} : { [STATE_HEADER]: state };
      return { status: 202, text: '', headers };
    } finally {
      slot.leave();
    }
  }

  /** The answer to a failed request, or `undefined` if the sender has disconnected. */
  #refused(error: unknown): Answer | undefined {
    if (error instanceof Refusal)
      return { status: error.status, text: error.message, headers: error.headers };
    if (error instanceof QueueFullError)
      return { status: 503, text: sendLater(error.message), headers: { 'retry-after': '5' } };
    if (error instanceof QueueUnavailableError)
      return { status: 503, text: QUEUE_UNAVAILABLE, headers: { 'retry-after': '5' } };
    const { code } = error as NodeJS.ErrnoException; // Absent on errors of another origin.
    if (code === 'ECONNRESET') return undefined;
    this.#options.onError(error);
    return { status: 500, text: INTERNAL_ERROR };
  }
}

/**
 * Receives events by HTTP: `POST /v1/events`, `GET /healthz` and `GET /readyz`. If a request has no token, only its head is read, and
 * its connection is closed soon after the answer, regardless of how much is still to be sent. What a token can use is
 * limited in bytes, time and concurrent requests, and waiting requests take turns (`Admission`). A request is answered
 * with 202 when its messages are stored.
 *
 * @throws IntakeError if it cannot listen at the address, or certificate and key cannot be used
 */
export async function startIntake(options: IntakeOptions): Promise<Intake> {
  return new IntakeServer(options).start();
}
