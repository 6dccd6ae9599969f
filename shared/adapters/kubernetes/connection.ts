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
import { noCluster } from './kube-config-messages.ts';
import { ABORTED, noAnswer, noCredentials } from './messages.ts';
import type { RateLimit } from './rate-limit.ts';

/** One request to the API server. */
export interface ApiRequest {
  /** What the request does, for messages: `get deployments.apps/v1 default/web`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server's address. */
  readonly path: string;
  /** The accepted forms, best first. If it is absent, or if the server answers 406, plain JSON is requested. */
  readonly accept?: string;
  readonly body?: { readonly contentType: string; readonly text: string };
  /** The maximum size of the answer. Default: {@link MAX_OBJECT_BYTES}. */
  readonly maxAnswerBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Authenticated HTTP to one API server, over connections that are kept open. */
export interface Connection {
  /**
   * Returns the body of a 2xx answer as text. A longer body than the request allows is an error.
   *
   * @throws the errors of the Kubernetes port.
   */
  send(request: ApiRequest): Promise<string>;
  /**
   * Returns a 2xx answer whose body is not read yet. The request's signal ends the body.
   *
   * @throws the errors of the Kubernetes port.
   */
  open(request: ApiRequest): Promise<IncomingMessage>;
  /**
   * Returns any answer, whatever its status, for a caller that reads errors itself. Otherwise like {@link Connection.open}.
   *
   * @throws the errors of the Kubernetes port if there is no answer.
   */
  answer(request: ApiRequest): Promise<IncomingMessage>;
  /** The current scheme and host of the server, for messages. */
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

/** Runs the work with a signal that the caller or the timeout aborts, and translates its error. */
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
    if (signal?.aborted) throw unavailable(operation, ABORTED, error);
    const reason = timeout.signal.aborted ? noAnswer(timeoutMs) : reasonOf(error);
    throw unavailable(operation, reason, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The outcome of work that does not accept a signal, such as an exec plugin that hangs. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject);
  });
}

/** A retryable error, as for a 401: an exec plugin or a mounted file may work the next time. */
function withoutCredentials(operation: string, user: string, cause: unknown): ApiForbiddenError {
  return new ApiForbiddenError(operation, noCredentials(user, reasonOf(cause)), {
    unauthenticated: true,
    cause,
  });
}

/** Options of a connection. */
export interface ConnectionOptions {
  /** The timeout of an answer: of the whole answer for `send`, of its head for `open`. */
  readonly requestTimeoutMs: number;
  /** How long an unused connection is kept. Default: until the server closes it. */
  readonly idleTimeoutMs?: number;
  /**
   * Delays requests. The delay does not count for the timeout of the answer. Default: no delay. Several connections may share
   * one limit.
   */
  readonly rateLimit?: RateLimit;
  /** Resolves the server's name. Default: the system's resolver. If a proxy is used, the proxy resolves the name. */
  readonly lookup?: LookupFunction;
}

async function admit(request: ApiRequest, rateLimit: RateLimit | undefined): Promise<void> {
  try {
    await rateLimit?.(request.signal);
  } catch (error) {
    throw unavailable(request.operation, ABORTED, error);
  }
}

/** Creates agents that keep connections open. Their timeout does not end a socket that is in use. */
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

/** A kubeconfig that does not change, or a function that returns the current one. */
export type KubeConfigSource = KubeConfig | (() => Promise<KubeConfig>);

function clusterOf(kubeConfig: KubeConfig): Cluster {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError('(loaded)', noCluster(kubeConfig.getCurrentContext()));
  return cluster;
}

/** The server of a request, with the options for it. */
interface Target {
  readonly server: string;
  readonly options: RequestOptions;
}

/**
 * Connects to the cluster of a kubeconfig's current context. Server, credentials, TLS and proxy are read from the kubeconfig
 * for each request, so renewed tokens and certificates are used.
 *
 * @throws KubeConfigError if the current context has no cluster; if a function provides the kubeconfig, each request fails
 * instead.
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
    // An agent without TLS options of its own uses those of the request and keeps a pool for each set of them. The kubeconfig's
    // agent is only used for proxies, because it does not keep connections open.
    if (proxyUrl) return { server, options };
    const agent = server.startsWith('https:') ? agents.https : agents.http;
    return { server, options: { ...options, agent } };
  };

  const answered = async (request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> => {
    const { server, options } = await orAborted(targetOf(request.operation), signal);
    const send = server.startsWith('https:') ? httpsRequest : httpRequest;
    const start = (): ClientRequest =>
      send(`${server}${request.path}`, {
        ...options,
        method: request.method,
        signal,
        headers: { ...options.headers, ...headersOf(request) },
      });
    // Safe for writes as well, because each write depends on the version that it was computed from.
    const response = await exchange(start, request.body?.text);
    if (response.statusCode !== 406 || request.accept === undefined) return response;
    response.resume();
    const { accept: _refused, ...plain } = request;
    await admit({ ...plain, signal }, rateLimit);
    return answered(plain, signal);
  };

  const head = async (request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> => {
    const response = await answered(request, signal);
    const status = response.statusCode ?? 0;
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
    answer: (request) => admitted(request, (signal) => answered(request, signal)),
    server: async () => new URL(clusterOf(await current()).server).origin,
  };
}
