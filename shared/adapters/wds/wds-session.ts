import {
  ApiForbiddenError,
  type ClusterType,
  KubeConfigError,
  WdsCredentialsError,
} from '#shared/errors.ts';
import type { KubeconfigSource } from '#shared/ports/kubeconfig-source.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { unknownCredentials } from './messages.ts';

/** What the connections to WDSes, or to Fleet's management clusters, need. */
export interface WdsConnectionsDeps {
  /** The type of the clusters. Default: WDSes. */
  readonly clusterType?: ClusterType;
  readonly source: KubeconfigSource;
  /**
   * Creates a client of a kubeconfig's cluster. Sends no request yet.
   *
   * @param at the cluster of the kubeconfig, and its location.
   * @throws KubeConfigError if the kubeconfig cannot be used; the client's calls throw it, too.
   */
  readonly connect: (kubeconfig: string, at: ClusterLocation) => ObjectApi;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The name and type of one cluster, and the location of its kubeconfig in words. */
export interface ClusterLocation {
  readonly wds: string;
  readonly clusterType: ClusterType;
  readonly location: string;
}

/** Sends requests to one cluster with its current credentials. */
export interface WdsSession {
  /**
   * Runs a call. If the cluster rejects the credentials, runs it again with a newer kubeconfig.
   *
   * @throws WdsCredentialsError if there is no kubeconfig that the cluster accepts; otherwise the error of the call.
   */
  run<T>(call: (api: ObjectApi) => Promise<T>): Promise<T>;
}

/** The client of a kubeconfig. */
interface Client {
  readonly kubeconfig: string;
  readonly api: ObjectApi;
}

/** The age at which a kubeconfig is compared with its source, because its server or user may have changed. */
const RECHECK_MS = 5 * 60_000;

/** If a kubeconfig was read again less than this long ago, it is not read once more, because it would be the same. */
const RELOAD_INTERVAL_MS = 5000;

function isUnauthenticated(error: unknown): error is ApiForbiddenError {
  return error instanceof ApiForbiddenError && error.unauthenticated;
}

function connected(deps: WdsConnectionsDeps, at: ClusterLocation, kubeconfig: string): Client {
  try {
    return { kubeconfig, api: deps.connect(kubeconfig, at) };
  } catch (error) {
    if (!(error instanceof KubeConfigError)) throw error;
    throw unusable(at, error);
  }
}

function unusable(at: ClusterLocation, error: KubeConfigError): WdsCredentialsError {
  return new WdsCredentialsError({ ...at, fault: 'unusable' }, error.faultAndRemedy, {
    cause: error,
  });
}

function unauthenticated(at: ClusterLocation, error: ApiForbiddenError): WdsCredentialsError {
  return new WdsCredentialsError(
    { ...at, fault: 'unauthenticated' },
    unknownCredentials(at.clusterType.title, error),
    { cause: error },
  );
}

/** The kubeconfig of one cluster, as it was last read, and its client. */
interface Credentials {
  /** The current client, whose kubeconfig has been compared with its source within {@link RECHECK_MS}. */
  current(): Promise<Client>;
  /** The client to use after one was rejected; the same one if there is no other. */
  after(refused: Client): Promise<Client>;
}

function createCredentials(deps: WdsConnectionsDeps, at: ClusterLocation): Credentials {
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
  /** One read at a time, for all callers. */
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
      // If the source does not answer, the previous client stays in use.
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

/** Creates a session with one cluster. Its kubeconfig is read at the first call. */
export function createWdsSession(deps: WdsConnectionsDeps, at: ClusterLocation): WdsSession {
  const credentials = createCredentials(deps, at);
  /** The address of a kubeconfig's server is only known when a connection is made. */
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
      throw unauthenticated(at, error);
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
        if (second === first) throw unauthenticated(at, error);
        return again(call, second);
      }
    },
  };
}
