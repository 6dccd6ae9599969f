import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { PageFiles } from '#local/console/page-files.ts';
import { type ConnectionLimits, Connections } from '#local/intake/connections.ts';
import { formerCertificate } from '#local/intake/messages.ts';
import { type CertificateFiles, readCertificate } from '#local/intake/tls-files.ts';
import { createFollowedFiles } from '#shared/adapters/http/cached-file.ts';
import { close, listen, serverUrl } from '#shared/adapters/http/listen.ts';
import {
  foreignHost,
  foreignRequest,
  foreignSite,
  foreignToPage,
} from '#shared/adapters/http/own-request.ts';
import type { ApiAnswer, ApiRequest, ServedApi, User } from '#shared/api/api-request.ts';
import { StatusError } from '#shared/api/status-error.ts';
import { bearerToken } from '#shared/api/token-users.ts';
import { createRequestBody } from './request-body.ts';
import { sendAnswer } from './send-answer.ts';
import { requestedPageFile, sendPageFile } from './send-page.ts';

/** How the server is protected. */
export type Protection =
  /** By nothing: every program on this machine may read everything, as it may in the WDS. No page of another server may. */
  | {
      readonly type: 'own-machine';
      readonly user: User;
      /** A page that may read everything as well, because this server serves it. Absent: none. */
      readonly page?: PageFiles;
    }
  | {
      readonly type: 'tls';
      readonly files: CertificateFiles;
      /** The authorities of the certificates of clients, PEM. It is called now and then, because they may change. */
      readonly authorities: () => readonly string[];
      /** Finds the user. Throws StatusError 401 if there is none, 503 if that cannot be found out. */
      readonly authenticate: (request: IncomingMessage) => Promise<User>;
      /** A page that is served to everybody. Its requests need a user, as all others do. Absent: none. */
      readonly page?: PageFiles;
      /** Called with the problem if a changed certificate cannot be used, and with `undefined` when it is solved. */
      readonly onCertificateFault: (fault: string | undefined) => void;
    };

/** The options of the server of the API. */
export interface StatusServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly api: ServedApi;
  readonly protection: Protection;
  /** Called with errors that no client caused. */
  readonly onError: (error: unknown) => void;
  /** A client that has not read for this long is disconnected, in milliseconds. */
  readonly stallMs?: number;
}

/** A running server. */
export interface StatusServer {
  /** `https://127.0.0.1:8443` */
  readonly url: string;
  /** Ends watches in good order, accepts no more requests, and waits a moment for those in progress. */
  stop(): Promise<void>;
}

/** Go keeps an idle connection for 90 s. A server that closes it earlier cuts off requests that are just being sent. */
const KEEP_ALIVE_MS = 120_000;
const HEAD_MS = 10_000;
const MAX_CONNECTIONS = 2_000;
/** Connections without an authenticated request are limited by address. All others are not, because users may share a proxy. */
const CONNECTION_LIMITS: ConnectionLimits = {
  requestsOfConnection: 16,
  strangersOfAddress: 64,
  requestsOfStranger: Number.POSITIVE_INFINITY,
  strangerIdleMs: KEEP_ALIVE_MS,
  idleMs: KEEP_ALIVE_MS,
};
const STALL_MS = 60_000;
const STOP_MS = 1_000;
const LOOK_MS = 30_000;

/** The body of a request. Only what is posted has one that is read. */
function bodyOf(request: IncomingMessage): Pick<ApiRequest, 'body'> {
  if (request.method === 'POST') return { body: createRequestBody(request) };
  request.resume();
  return {};
}

/** An answer that ends the connection if the body of the request was not read: the client may send any amount. */
function closedUnlessRead(answer: ApiAnswer, { method, complete }: IncomingMessage): ApiAnswer {
  if (method !== 'POST' || complete) return answer;
  return { ...answer, headers: { ...answer.headers, connection: 'close' } };
}

/** What answers the requests of a server. */
export interface StatusRequestOptions
  extends Pick<StatusServerOptions, 'api' | 'protection' | 'onError' | 'stallMs'> {
  /** The connections of the server, if those without a user are limited. */
  readonly connections?: Connections;
}

/** Answers requests for the API. */
export class StatusRequests {
  readonly #options: StatusRequestOptions;

  constructor(options: StatusRequestOptions) {
    this.#options = options;
  }

  /** Why a request is refused, whoever sends it. */
  #foreign(request: IncomingMessage): string | undefined {
    const { protection } = this.#options;
    const hasPage = protection.page !== undefined;
    if (protection.type === 'tls') return hasPage ? foreignSite(request) : undefined;
    return hasPage ? foreignToPage(request) : foreignRequest(request);
  }

  async #authenticate(request: IncomingMessage, response: ServerResponse): Promise<User> {
    const { protection, connections } = this.#options;
    const foreign = this.#foreign(request);
    if (foreign !== undefined) throw new StatusError({ code: 403, reason: 'Forbidden' }, foreign);
    if (protection.type !== 'tls') return protection.user;
    const user = await protection.authenticate(request);
    connections?.trust(request, response);
    return user;
  }

  /** The token of a request. Where nobody is asked who they are, it means nothing. */
  #tokenOf({ headers }: IncomingMessage): Pick<ApiRequest, 'token'> {
    if (this.#options.protection.type !== 'tls') return {};
    const token = bearerToken(headers.authorization);
    return token === undefined ? {} : { token };
  }

  /** Serves a file of the page. Its files are no secret, but a page of another name must not have them as its own. */
  #servePage(request: IncomingMessage, response: ServerResponse): boolean {
    const { protection } = this.#options;
    if (protection.type === 'own-machine' && foreignHost(request) !== undefined) return false;
    const file = requestedPageFile(protection.page, request);
    if (file === undefined) return false;
    sendPageFile(file, { request, response });
    return true;
  }

  /** Answers a request. It never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { api, onError, connections, stallMs = STALL_MS } = this.#options;
    if (connections?.begin(request, response) === false) return;
    if (this.#servePage(request, response)) return;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { method = 'GET', url = '/', headers } = request;
    const mark = url.indexOf('?');
    try {
      const answer = await api.handle({
        method,
        path: mark < 0 ? url : url.slice(0, mark),
        query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
        accept: headers.accept ?? '',
        authenticate: () => this.#authenticate(request, response),
        ...this.#tokenOf(request),
        ...bodyOf(request),
        signal: gone.signal,
      });
      await sendAnswer(closedUnlessRead(answer, request), { request, response }, { stallMs });
    } catch (error) {
      // The client sees that the answer was cut off, and asks again.
      if (!gone.signal.aborted) onError(error);
      response.destroy();
    }
  }
}

class ApiServer {
  readonly #options: StatusServerOptions;
  readonly #server: Server;

  constructor(options: StatusServerOptions) {
    this.#options = options;
    const connections = new Connections(CONNECTION_LIMITS);
    // Every user of this machine may use the server without a name.
    const limited = options.protection.type === 'tls' ? { connections } : {};
    const requests = new StatusRequests({ ...options, ...limited });
    this.#server = this.#create((request, response) => {
      void requests.serve(request, response);
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    if (options.protection.type === 'tls') connections.watch(this.#server);
  }

  #create(listener: RequestListener): Server {
    const { protection } = this.#options;
    const times = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEAD_MS };
    if (protection.type === 'own-machine') return createServer(times, listener);
    // Certificates are checked for each request, so that a client without one gets an answer instead of a broken connection.
    const asks = { requestCert: true, rejectUnauthorized: false };
    const server = createSecureServer({ ...times, ...asks, handshakeTimeout: HEAD_MS }, listener);
    const { files, authorities, onCertificateFault } = protection;
    let trusted = '';
    const secure = (): void => {
      const ca = authorities();
      trusted = ca.join();
      server.setSecureContext({
        ...readCertificate(files),
        ...(ca.length === 0 ? {} : { ca: [...ca] }),
      });
    };
    const look = createFollowedFiles({
      files: [files.certFile, files.keyFile],
      make: secure,
      onFault: (fault) => onCertificateFault(fault && formerCertificate(fault)),
    });
    const looking = setInterval(() => {
      look();
      if (authorities().join() !== trusted) secure();
    }, LOOK_MS);
    looking.unref();
    server.once('close', () => clearInterval(looking));
    return server;
  }

  async start(): Promise<StatusServer> {
    const { host, port, protection, onError } = this.#options;
    const taken = await listen(this.#server, { host, port });
    this.#server.on('error', onError);
    const scheme = protection.type === 'tls' ? 'https' : 'http';
    return { url: serverUrl(scheme, { host, port: taken }), stop: () => this.#stop() };
  }

  async #stop(): Promise<void> {
    this.#options.api.close();
    const closed = close(this.#server, STOP_MS);
    this.#server.closeIdleConnections();
    await closed;
  }
}

/**
 * Serves the API over HTTP.
 *
 * @throws IntakeError if certificate or key cannot be used; the system's error if it cannot listen
 */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  return new ApiServer(options).start();
}
