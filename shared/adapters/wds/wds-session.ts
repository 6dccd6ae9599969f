import {
  ApiForbiddenError,
  type ClusterType,
  KubeConfigError,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';

/** What the connections to WDSes, or to Fleet's management clusters, are made of. */
export interface WdsConnectionsDeps {
  /** What the clusters are; absent: WDSes. */
  readonly clusterType?: ClusterType;
  readonly source: KubeconfigSource;
  /**
   * A client of a kubeconfig's cluster; asks it nothing yet.
   *
   * @param at whose kubeconfig it is, and where it is from.
   * @throws KubeConfigError for a kubeconfig that cannot be used; the client's calls throw it, too.
   */
  readonly connect: (kubeconfig: string, at: WdsPlace) => ObjectApi;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** One cluster's name, what it is, and the place of its kubeconfig in words. */
export interface WdsPlace {
  readonly wds: string;
  readonly clusterType: ClusterType;
  readonly place: string;
}

/** Talks to one cluster with the credentials that count now. */
export interface WdsSession {
  /**
   * Does a call, and does it again with a newer kubeconfig when the cluster did not know the credentials.
   *
   * @throws WdsCredentialsError when no kubeconfig that it knows can be had; else what the call throws.
   */
  run<T>(call: (api: ObjectApi) => Promise<T>): Promise<T>;
}

/** A kubeconfig's client. */
interface Client {
  readonly kubeconfig: string;
  readonly api: ObjectApi;
}

/** How old a kubeconfig gets before it is compared with its source: its server or user may have been changed. */
const RECHECK_MS = 5 * 60_000;

/** A kubeconfig that was read anew so shortly before is not read again: the next one would be no other. */
const RELOAD_INTERVAL_MS = 5000;

function isUnauthenticated(error: unknown): error is ApiForbiddenError {
  return error instanceof ApiForbiddenError && error.unauthenticated;
}

function connected(deps: WdsConnectionsDeps, at: WdsPlace, kubeconfig: string): Client {
  try {
    return { kubeconfig, api: deps.connect(kubeconfig, at) };
  } catch (error) {
    if (!(error instanceof KubeConfigError)) throw error;
    throw unusable(at, error);
  }
}

function unusable(at: WdsPlace, error: KubeConfigError): WdsCredentialsError {
  return new WdsCredentialsError({ ...at, fault: 'unusable' }, error.faultAndRemedy, {
    cause: error,
  });
}

function unknownCredentials(at: WdsPlace, error: ApiForbiddenError): WdsCredentialsError {
  return new WdsCredentialsError(
    { ...at, fault: 'unauthenticated' },
    `the ${at.clusterType.title} does not know these credentials (${error.operation}: ${error.reason}): put a valid token or client certificate there; it is read again by itself`,
    { cause: error },
  );
}

/** The kubeconfig of one cluster, as it was last read, and its client. */
interface Credentials {
  /** The client that counts, of a kubeconfig that has been compared with its source within {@link RECHECK_MS}. */
  current(): Promise<Client>;
  /** The client to use after one was refused; the same one where there is no other. */
  after(refused: Client): Promise<Client>;
}

function createCredentials(deps: WdsConnectionsDeps, at: WdsPlace): Credentials {
  let client: Client | undefined;
  let loading: Promise<Client> | undefined;
  let attemptedAt: number | undefined;
  let reloadedAt: number | undefined;
  const within = (since: number | undefined, ms: number): boolean =>
    since !== undefined && deps.clock() - since < ms;

  const load = async (fresh: boolean): Promise<Client> => {
    const kubeconfig = await deps.source.read(at.wds, { fresh });
    if (client?.kubeconfig === kubeconfig) return client;
    client = connected(deps, at, kubeconfig);
    return client;
  };
  /** One read at a time, for all that ask for it. */
  const shared = (): Promise<Client> => {
    if (loading !== undefined) return loading;
    const fresh = attemptedAt !== undefined;
    attemptedAt = deps.clock();
    loading = load(fresh).finally(() => {
      loading = undefined;
    });
    return loading;
  };

  return {
    async current() {
      const kept = client;
      if (kept === undefined) return shared();
      if (within(attemptedAt, RECHECK_MS)) return kept;
      // What worked until now goes on working while its source does not answer.
      return shared().catch(() => kept);
    },
    async after(refused) {
      if (client !== undefined && client !== refused) return client;
      if (loading === undefined && within(reloadedAt, RELOAD_INTERVAL_MS)) return refused;
      reloadedAt = deps.clock();
      return shared();
    },
  };
}

/** A session with one cluster. Its kubeconfig is read when the first call is made. */
export function createWdsSession(deps: WdsConnectionsDeps, at: WdsPlace): WdsSession {
  const credentials = createCredentials(deps, at);
  /** Where a kubeconfig leads shows when it is connected to. */
  const attempt = async <T>(call: (api: ObjectApi) => Promise<T>, { api }: Client): Promise<T> => {
    try {
      return await call(api);
    } catch (error) {
      throw error instanceof KubeConfigError ? unusable(at, error) : error;
    }
  };
  const again = async <T>(call: (api: ObjectApi) => Promise<T>, client: Client): Promise<T> => {
    try {
      return await attempt(call, client);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      throw unknownCredentials(at, error);
    }
  };
  return {
    async run(call) {
      const first = await credentials.current();
      try {
        return await attempt(call, first);
      } catch (error) {
        if (!isUnauthenticated(error)) throw error;
        const second = await credentials.after(first);
        if (second === first) throw unknownCredentials(at, error);
        return again(call, second);
      }
    },
  };
}
