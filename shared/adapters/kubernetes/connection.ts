import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import { ApiForbiddenError, KubeConfigError } from '#shared/errors.ts';
import {
  errorOfRefusal,
  isTranslated,
  reasonOf,
  refusalOfResponse,
  unavailable,
} from './api-error.ts';

/** One request to the API server. */
export interface ApiRequest {
  /** What is being done, for messages: `get deployments.apps/v1 default/web`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server's address. */
  readonly path: string;
  readonly accept?: string;
  readonly body?: { readonly contentType: string; readonly text: string };
  readonly signal?: AbortSignal | undefined;
}

/** Authenticated HTTP to one API server, over connections that are kept open. */
export interface Connection {
  /**
   * The body of a 2xx answer, as text.
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
}

async function refuse(request: ApiRequest, response: IncomingMessage): Promise<never> {
  const body = await text(response);
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
}

/**
 * One exchange; the answer's body is still to come. A kept connection may turn out to be closed when it is used again:
 * that is not the server's failure, and the request goes out once more, on another one. It is safe for writes as well,
 * as each goes by the version that it was computed from.
 */
function exchange(start: () => ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = start();
    let answered = false;
    outgoing.on('response', (response) => {
      answered = true;
      resolve(response);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      if (outgoing.reusedSocket && closed && !answered) exchange(start, body).then(resolve, reject);
      else reject(error);
    });
    outgoing.end(body);
  });
}

/**
 * Connects to the cluster of a kubeconfig's current context. Credentials, TLS and proxy come from the kubeconfig for each
 * request anew, so tokens and certificates that are renewed are used.
 *
 * @throws KubeConfigError when the current context has no cluster.
 */
export function connect(
  kubeConfig: KubeConfig,
  { requestTimeoutMs, idleTimeoutMs }: ConnectionOptions,
): Connection {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError(
      '(loaded)',
      `context ${kubeConfig.getCurrentContext()} has no cluster: name one in contexts[].context.cluster`,
    );
  const secure = cluster.server.startsWith('https:');
  // Of a socket in use the agent's timeout ends nothing.
  const kept = {
    keepAlive: true,
    ...(idleTimeoutMs === undefined ? {} : { timeout: idleTimeoutMs }),
  };
  const agent = secure ? new HttpsAgent(kept) : new HttpAgent(kept);

  const credentials = async (operation: string): Promise<RequestOptions> => {
    const options: RequestOptions = {};
    try {
      await kubeConfig.applyToHTTPSOptions(options);
    } catch (error) {
      throw withoutCredentials(operation, kubeConfig.getCurrentUser()?.name ?? '(none)', error);
    }
    // An agent without TLS options of its own takes those of the request and keeps a pool for each set of them. The
    // kubeconfig's agent is used for proxies alone: it does not keep connections open.
    return cluster.proxyUrl ? options : { ...options, agent };
  };

  const head = async (request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> => {
    const options = await orAborted(credentials(request.operation), signal);
    const start = (): ClientRequest =>
      (secure ? httpsRequest : httpRequest)(`${cluster.server}${request.path}`, {
        ...options,
        method: request.method,
        signal,
        headers: { ...options.headers, ...headersOf(request) },
      });
    const response = await exchange(start, request.body?.text);
    const status = response.statusCode ?? 0;
    return status >= 200 && status < 300 ? response : refuse(request, response);
  };

  return {
    send: (request) =>
      timed(request, requestTimeoutMs, async (signal) => text(await head(request, signal))),
    open: (request) => timed(request, requestTimeoutMs, (signal) => head(request, signal)),
  };
}
