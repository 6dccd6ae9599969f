import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import { exchange, TCP_KEEP_ALIVE_MS } from '#shared/adapters/http/exchange.ts';
import { ApiForbiddenError, KubeConfigError } from '#shared/errors.ts';
import { bodyOf, MAX_OBJECT_BYTES, refusalBodyOf } from './answer-body.ts';
import {
  errorOfRefusal,
  isTranslated,
  reasonOf,
  refusalOfResponse,
  unavailable,
} from './api-error.ts';
import type { RateLimit } from './rate-limit.ts';

/** One request to the API server. */
export interface ApiRequest {
  /** What is being done, for messages: `get deployments.apps/v1 default/web`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server's address. */
  readonly path: string;
  /** What is asked for, best first. Absent, or where the server answers 406 to it: plain JSON. */
  readonly accept?: string;
  readonly body?: { readonly contentType: string; readonly text: string };
  /** How long the answer may be; absent: {@link MAX_OBJECT_BYTES}. */
  readonly maxAnswerBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Authenticated HTTP to one API server, over connections that are kept open. */
export interface Connection {
  /**
   * The body of a 2xx answer, as text. A longer one than the request allows counts as none.
   *
   * @throws the errors of the Kubernetes port.
   */
  send(request: ApiRequest): Promise<string>;
  /**
   * A 2xx answer whose body is still to come; the request's signal ends it.
   *
   * @throws the errors of the Kubernetes port.
   */
  open(request: ApiRequest): Promise<IncomingMessage>;
  /** Scheme and host of the server as of now, for messages. */
  server(): Promise<string>;
}

async function refuse(request: ApiRequest, response: IncomingMessage): Promise<never> {
  const body = await refusalBodyOf(response);
  throw errorOfRefusal(
    request.operation,
    refusalOfResponse(response.statusCode ?? 0, body, response.headers['retry-after']),
  );
}

function headersOf(request: ApiRequest): Record<string, string | number> {
  const { body, accept } = request;
  return {
    Accept: accept ?? 'application/json',
    'User-Agent': 'starfold',
    ...(body === undefined
      ? {}
      : {
          'Content-Type': body.contentType,
          'Content-Length': Buffer.byteLength(body.text),
        }),
  };
}

/** Does the work with a signal that the caller or the timeout aborts, and names what it fails with. */
async function timed<T>(
  request: ApiRequest,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const { operation, signal } = request;
  try {
    return await work(
      signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    );
  } catch (error) {
    if (isTranslated(error)) throw error;
    if (signal?.aborted) throw unavailable(operation, 'aborted by the caller', error);
    const reason = timeout.signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
    throw unavailable(operation, reason, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The outcome of work that knows nothing of signals: an exec plugin may hang. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject);
  });
}

/** A retryable refusal, as for a 401: an exec plugin or a mounted file may work the next time. */
function withoutCredentials(operation: string, user: string, cause: unknown): ApiForbiddenError {
  return new ApiForbiddenError(operation, `credentials of user ${user}: ${reasonOf(cause)}`, {
    unauthenticated: true,
    cause,
  });
}

/** How a connection is kept. */
export interface ConnectionOptions {
  /** How long an answer may take: a whole one for `send`, its head for `open`. */
  readonly requestTimeoutMs: number;
  /** How long a connection that nobody uses is kept; absent: until the server closes it. */
  readonly idleTimeoutMs?: number;
  /**
   * Holds requests back before they go out; the time that they wait does not count as time of the answer. Absent: none
   * is held back. One limit may serve many connections.
   */
  readonly rateLimit?: RateLimit;
  /** Resolves the server's name; absent: the system. Not asked where a proxy does it. */
  readonly lookup?: LookupFunction;
}

async function admit(request: ApiRequest, rateLimit: RateLimit | undefined): Promise<void> {
  try {
    await rateLimit?.(request.signal);
  } catch (error) {
    throw unavailable(request.operation, 'aborted by the caller', error);
  }
}

/** Agents that keep connections open. Of a socket in use their timeout ends nothing. */
function keepingAgents({
  idleTimeoutMs,
  lookup,
}: Pick<ConnectionOptions, 'idleTimeoutMs' | 'lookup'>): {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
} {
  const kept = {
    keepAlive: true,
    keepAliveMsecs: TCP_KEEP_ALIVE_MS,
    ...(idleTimeoutMs === undefined ? {} : { timeout: idleTimeoutMs }),
    ...(lookup === undefined ? {} : { lookup }),
  };
  return { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
}

/** A kubeconfig that stays as it is, or what gives it as it is now. */
export type KubeConfigSource = KubeConfig | (() => Promise<KubeConfig>);

function clusterOf(kubeConfig: KubeConfig): Cluster {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError(
      '(loaded)',
      `context ${kubeConfig.getCurrentContext()} has no cluster: name one in contexts[].context.cluster`,
    );
  return cluster;
}

/** Whom a request goes to, and with what. */
interface Target {
  readonly server: string;
  readonly options: RequestOptions;
}

/**
 * Connects to the cluster of a kubeconfig's current context. Server, credentials, TLS and proxy come from the kubeconfig
 * for each request anew, so tokens and certificates that are renewed are used.
 *
 * @throws KubeConfigError when the current context has no cluster; where the kubeconfig is given by a function, each
 *   request fails instead.
 */
export function connect(
  source: KubeConfigSource,
  { requestTimeoutMs, rateLimit, ...kept }: ConnectionOptions,
): Connection {
  const current = typeof source === 'function' ? source : async () => source;
  if (typeof source !== 'function') clusterOf(source);
  const agents = keepingAgents(kept);

  const targetOf = async (operation: string): Promise<Target> => {
    const kubeConfig = await current();
    const { server, proxyUrl } = clusterOf(kubeConfig);
    const options: RequestOptions = {};
    try {
      await kubeConfig.applyToHTTPSOptions(options);
    } catch (error) {
      throw withoutCredentials(operation, kubeConfig.getCurrentUser()?.name ?? '(none)', error);
    }
    // An agent without TLS options of its own takes those of the request and keeps a pool for each set of them. The
    // kubeconfig's agent is used for proxies alone: it does not keep connections open.
    if (proxyUrl) return { server, options };
    const agent = server.startsWith('https:') ? agents.https : agents.http;
    return { server, options: { ...options, agent } };
  };

  const head = async (request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> => {
    const { server, options } = await orAborted(targetOf(request.operation), signal);
    const send = server.startsWith('https:') ? httpsRequest : httpRequest;
    const start = (): ClientRequest =>
      send(`${server}${request.path}`, {
        ...options,
        method: request.method,
        signal,
        headers: { ...options.headers, ...headersOf(request) },
      });
    // Safe for writes as well, as each goes by the version that it was computed from.
    const response = await exchange(start, request.body?.text);
    const status = response.statusCode ?? 0;
    if (status === 406 && request.accept !== undefined) {
      response.resume();
      const { accept: _refused, ...plain } = request;
      await admit({ ...plain, signal }, rateLimit);
      return head(plain, signal);
    }
    return status >= 200 && status < 300 ? response : refuse(request, response);
  };

  const admitted = async <T>(
    request: ApiRequest,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    await admit(request, rateLimit);
    return timed(request, requestTimeoutMs, work);
  };

  return {
    send: (request) =>
      admitted(request, async (signal) =>
        bodyOf(await head(request, signal), request.maxAnswerBytes ?? MAX_OBJECT_BYTES),
      ),
    open: (request) => admitted(request, (signal) => head(request, signal)),
    server: async () => new URL(clusterOf(await current()).server).origin,
  };
}
