import { createConcurrencyLimit } from '#shared/concurrency.ts';
import {
  ApiForbiddenError,
  ApiUnavailableError,
  UnknownWdsError,
  WDS_CLUSTER,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { createWdsSession, type WdsConnectionsDeps, type WdsPlace } from './wds-session.ts';

/** Remembers that a server does not answer, so that not every call waits to learn it. */
interface OutageMemory {
  /**
   * Does the work, or fails at once with what {@link OutageRules.outageOf} made of an outage a moment ago.
   *
   * @param signal by which the caller ends the work: what fails then says nothing of the server.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** What counts as an outage, and for how long. */
interface OutageRules {
  /** The error by which calls fail during the outage that an error tells of; `undefined`: the server has answered. */
  readonly outageOf: (error: unknown) => Error | undefined;
  /** How long calls fail at once. After that one of them finds out how it stands, while the others still fail. */
  readonly pauseMs: number;
  /** Milliseconds, from any beginning. */
  readonly clock: () => number;
}

interface Outage {
  readonly error: Error;
  readonly since: number;
}

/** The memory of one server's outages, empty at first. */
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
 * Calls that one instance of the function has open towards one cluster (docs/architecture.md, section 8: limited in
 * concurrency).
 */
export const WDS_MAX_IN_FLIGHT = 10;

/** How long an answer of a cluster may take: an invocation must not hang for one. */
export const WDS_REQUEST_TIMEOUT_MS = 10_000;

/**
 * How long a connection that is not used is kept: less than a NAT gateway keeps it (350 s), which a frozen function would
 * not learn of.
 */
export const WDS_IDLE_TIMEOUT_MS = 60_000;

/** How long calls fail at once after one was not answered. */
const OUTAGE_PAUSE_MS = 5000;

type Call<T> = (api: ObjectApi) => Promise<T>;

/** Answers of what stands before a server: it is down (RFC 9110, sections 15.6.3 to 15.6.5). */
function isGatewayStatus(status: number): boolean {
  return status >= 502 && status <= 504;
}

/** A server that asks to come back later answers, and so does one that fails in one request (500). */
function isUnanswered(error: ApiUnavailableError): boolean {
  if (error.retryAfterSeconds !== undefined) return false;
  return error.status === undefined || isGatewayStatus(error.status);
}

function outageOf(cluster: string, error: unknown): Error | undefined {
  // That it does not know the credentials is an answer.
  if (error instanceof WdsCredentialsError)
    return error.fault === 'unauthenticated' ? undefined : error;
  if (!(error instanceof ApiUnavailableError && isUnanswered(error))) return undefined;
  return new ApiUnavailableError(
    cluster,
    `not asked, as it did not answer a moment ago: ${error.reason}`,
    { cause: error },
  );
}

/** The error with the cluster in its words: an operation names the object alone. */
function withCluster(cluster: string, error: unknown): unknown {
  if (error instanceof ApiForbiddenError)
    return new ApiForbiddenError(
      `${cluster}: ${error.operation}`,
      `${error.reason}: allow it to the user of the kubeconfig`,
      { cause: error },
    );
  if (!(error instanceof ApiUnavailableError)) return error;
  const { operation, reason, status, retryAfterSeconds } = error;
  return new ApiUnavailableError(`${cluster}: ${operation}`, reason, {
    cause: error,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function createConnection(deps: WdsConnectionsDeps, at: WdsPlace): ObjectApi {
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
  // The outage is looked at when it is the call's turn: what has waited then does not wait for a timeout of its own.
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
 * The API servers of all WDSes, or of all management clusters of Fleet, that have a place for their kubeconfig, by name.
 * One that is asked for is connected to with its first call, and stays so for later ones and for later invocations.
 *
 * A cluster that does not know its credentials (401) has its kubeconfig read anew, once for all calls that are open, and
 * each of them is repeated once. A refusal (403) is its answer and repeats nothing. After a call that was not answered the
 * following ones fail at once for some seconds. Calls beyond {@link WDS_MAX_IN_FLIGHT} wait for their turn.
 *
 * @returns the API server of a cluster; throws UnknownWdsError for a name without a place. Its calls throw the errors of
 *   the Kubernetes port, with the name of the cluster, and WdsCredentialsError.
 */
export function createWdsConnections(deps: WdsConnectionsDeps): (wds: string) => ObjectApi {
  const { clusterType = WDS_CLUSTER } = deps;
  const connections = new Map<string, ObjectApi>();
  return (wds) => {
    const place = deps.source.places.get(wds);
    if (place === undefined) throw new UnknownWdsError(wds, deps.source.places.keys(), clusterType);
    const connection = connections.get(wds) ?? createConnection(deps, { wds, place, clusterType });
    connections.set(wds, connection);
    return connection;
  };
}

/**
 * As {@link createWdsConnections}, for a look at how the clusters are now: their kubeconfigs are read anew, and no outage is
 * remembered from before.
 */
export function createFreshWdsConnections(deps: WdsConnectionsDeps): (wds: string) => ObjectApi {
  const { places, read } = deps.source;
  const source = { places, read: (wds: string) => read(wds, { fresh: true }) };
  return createWdsConnections({ ...deps, source });
}
