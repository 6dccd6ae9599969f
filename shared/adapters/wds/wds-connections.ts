import { createConcurrencyLimit } from '#shared/concurrency.ts';
import {
  ApiForbiddenError,
  ApiUnavailableError,
  UnknownWdsError,
  WDS_CLUSTER,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { notPermitted, notSent } from './messages.ts';
import { type ClusterLocation, createWdsSession, type WdsConnectionsDeps } from './wds-session.ts';

/** Remembers that a server does not answer, so that not every call has to wait for its own timeout. */
interface OutageMemory {
  /**
   * Runs the work. During an outage, fails at once with the error that {@link OutageRules.outageOf} returned.
   *
   * @param signal the caller's signal; if the caller ends the work, its error shows nothing about the server.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Which errors are an outage, and for how long. */
interface OutageRules {
  /**
   * Returns the error with which calls fail during the outage that an error shows. Returns undefined if the server has
   * answered.
   */
  readonly outageOf: (error: unknown) => Error | undefined;
  /** How long calls fail at once. After that, one call tests the server, while the others still fail. */
  readonly pauseMs: number;
  /** Milliseconds, from any origin. */
  readonly clock: () => number;
}

interface Outage {
  readonly error: Error;
  readonly since: number;
}

/** Creates the memory of one server's outages, empty at first. */
function createOutageMemory({ outageOf, pauseMs, clock }: OutageRules): OutageMemory {
  let outage: Outage | undefined;
  let probing = false;

  const noted = async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      const result = await work();
      outage = undefined;
      return result;
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      const error = outageOf(thrown);
      outage = error === undefined ? undefined : { error, since: clock() };
      throw thrown;
    }
  };

  return {
    async run(work, signal) {
      if (outage === undefined) return noted(work, signal);
      if (probing || clock() - outage.since < pauseMs) throw outage.error;
      probing = true;
      try {
        return await noted(work, signal);
      } finally {
        probing = false;
      }
    },
  };
}

/**
 * The maximum number of concurrent calls of one instance of the function to one cluster (docs/architecture.md, section 8:
 * limited in concurrency).
 */
export const WDS_MAX_IN_FLIGHT = 10;

/** The timeout of an answer of a cluster, because one cluster must not block an invocation. */
export const WDS_REQUEST_TIMEOUT_MS = 10_000;

/**
 * How long an unused connection is kept. It is less than in a NAT gateway (350 s), because a frozen function would not notice
 * that the gateway has dropped the connection.
 */
export const WDS_IDLE_TIMEOUT_MS = 60_000;

/** How long calls fail at once after a call was not answered. */
const OUTAGE_PAUSE_MS = 5000;

type Call<T> = (api: ObjectApi) => Promise<T>;

/** Whether a gateway answered because the server behind it is down (RFC 9110, sections 15.6.3 to 15.6.5). */
function isGatewayStatus(status: number): boolean {
  return status >= 502 && status <= 504;
}

/**
 * Whether the server did not answer. A server that asks for a later retry has answered, and so has a server that fails in one
 * request (500).
 */
function isUnanswered(error: ApiUnavailableError): boolean {
  if (error.retryAfterSeconds !== undefined) return false;
  return error.status === undefined || isGatewayStatus(error.status);
}

function outageOf(cluster: string, error: unknown): Error | undefined {
  // If the server rejects the credentials, it has answered.
  if (error instanceof WdsCredentialsError)
    return error.fault === 'unauthenticated' ? undefined : error;
  if (!(error instanceof ApiUnavailableError && isUnanswered(error))) return undefined;
  return new ApiUnavailableError(cluster, notSent(error.reason), { cause: error });
}

/** Adds the cluster to an error, because an operation only names the object. */
function withCluster(cluster: string, error: unknown): unknown {
  if (error instanceof ApiForbiddenError)
    return new ApiForbiddenError(`${cluster}: ${error.operation}`, notPermitted(error.reason), {
      cause: error,
    });
  if (!(error instanceof ApiUnavailableError)) return error;
  const { operation, reason, status, retryAfterSeconds } = error;
  return new ApiUnavailableError(`${cluster}: ${operation}`, reason, {
    cause: error,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function createConnection(deps: WdsConnectionsDeps, at: ClusterLocation): ObjectApi {
  const cluster = `${at.clusterType.title} ${at.wds}`;
  const session = createWdsSession(deps, at);
  const limit = createConcurrencyLimit(WDS_MAX_IN_FLIGHT);
  const outages = createOutageMemory({
    outageOf: (error) => outageOf(cluster, error),
    pauseMs: OUTAGE_PAUSE_MS,
    clock: deps.clock,
  });

  const named = async <T>(call: Call<T>): Promise<T> => {
    try {
      return await session.run(call);
    } catch (error) {
      throw withCluster(cluster, error);
    }
  };
  // The outage is checked when it is the call's turn, so that a call which has waited does not wait for a timeout of its own.
  const run = <T>(call: Call<T>, signal: AbortSignal | undefined): Promise<T> =>
    limit(() => outages.run(() => named(call), signal));

  return {
    get: (ref, signal) => run((api) => api.get(ref, signal), signal),
    create: (ref, object, signal) => run((api) => api.create(ref, object, signal), signal),
    replace: (ref, object, signal) => run((api) => api.replace(ref, object, signal), signal),
    replaceStatus: (ref, change, signal) =>
      run((api) => api.replaceStatus(ref, change, signal), signal),
    patchLabels: (ref, change, signal) =>
      run((api) => api.patchLabels(ref, change, signal), signal),
    delete: (ref, precondition, signal) =>
      run((api) => api.delete(ref, precondition, signal), signal),
  };
}

/**
 * The API servers of all WDSes, or of all management clusters of Fleet, that have a location for their kubeconfig, by name. A
 * cluster is connected at its first call. The connection stays for later calls and later invocations.
 *
 * If a cluster rejects its credentials (401), its kubeconfig is read again, once for all open calls, and each of them is
 * retried once. A 403 is the cluster's answer, and nothing is retried. After a call that was not answered, calls fail at once
 * for some seconds. Calls beyond {@link WDS_MAX_IN_FLIGHT} wait for their turn.
 *
 * @returns a function that returns the API server of a cluster. It throws UnknownWdsError for a name without a location. The calls
 * throw the errors of the Kubernetes port, with the name of the cluster, and WdsCredentialsError.
 */
export function createWdsConnections(deps: WdsConnectionsDeps): (wds: string) => ObjectApi {
  const { clusterType = WDS_CLUSTER } = deps;
  const connections = new Map<string, ObjectApi>();
  return (wds) => {
    const location = deps.source.locations.get(wds);
    if (location === undefined)
      throw new UnknownWdsError(wds, deps.source.locations.keys(), clusterType);
    const connection =
      connections.get(wds) ?? createConnection(deps, { wds, location, clusterType });
    connections.set(wds, connection);
    return connection;
  };
}

/**
 * Like {@link createWdsConnections}, for a check of the current clusters: their kubeconfigs are read again, and earlier outages
 * are unknown.
 */
export function createFreshWdsConnections(deps: WdsConnectionsDeps): (wds: string) => ObjectApi {
  const { locations, read } = deps.source;
  const source = { locations, read: (wds: string) => read(wds, { fresh: true }) };
  return createWdsConnections({ ...deps, source });
}
