import { KubeConfig } from '@kubernetes/client-node';
import { parse, stringify } from 'yaml';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import type { ChosenContext, FleetPlan } from './plan.ts';
import { loadUserKubeConfig } from './user-kube-config.ts';

/** The clusters with which the stack works. */
export interface OpenClusters {
  readonly wds?: StackCluster;
  /** Its current context is the WDS. Absent without a WDS. */
  readonly wdsConfig?: KubeConfig;
  readonly wecs: readonly StackCluster[];
  /** The management cluster of Fleet. */
  readonly fleet?: StackCluster;
  /** The cluster with the ManagedClusters, if it is not the WDS. */
  readonly inventory?: StackCluster;
  /** The simulated clusters by name. Empty if the clusters are real. */
  readonly simulated: ReadonlyMap<string, SimulatedCluster>;
  /** A kubeconfig for all simulated clusters. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** The clusters of the demo. */
export interface StartedClusters extends OpenClusters {
  readonly wds: StackCluster;
}

const WDS = 'wds1';
const WECS = ['wec1', 'wec2', 'wec3'];
const REQUEST_TIMEOUT_MS = 10_000;
const FIELD_MANAGER = 'starfold';

interface KubeconfigText {
  readonly clusters: readonly unknown[];
  readonly users: readonly unknown[];
  readonly contexts: readonly unknown[];
}

function merged(simulated: readonly SimulatedCluster[]): string {
  // Each is a complete kubeconfig.
  const all = simulated.map((one) => parse(one.kubeconfig()) as KubeconfigText);
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: all.flatMap(({ clusters }) => clusters),
    users: all.flatMap(({ users }) => users),
    contexts: all.flatMap(({ contexts }) => contexts),
    'current-context': WDS,
  });
}

function stackCluster(kubeConfig: KubeConfig, { name, context }: ChosenContext): StackCluster {
  const options = { context, requestTimeoutMs: REQUEST_TIMEOUT_MS, fieldManager: FIELD_MANAGER };
  return { name, context, api: createKubernetesApi(kubeConfig, options) };
}

/**
 * Starts the demo's clusters: a WDS and three WECs, all empty.
 *
 * @param port the port of the WDS; the WECs have the next three. 0 means any free ports.
 * @throws PortInUseError
 */
export async function startDemoClusters(port: number): Promise<StartedClusters> {
  const simulated = new Map<string, SimulatedCluster>();
  const close = async (): Promise<void> => {
    await Promise.all([...simulated.values()].map((cluster) => cluster.close()));
  };
  try {
    for (const [index, name] of [WDS, ...WECS].entries()) {
      const own = port === 0 ? 0 : port + index;
      simulated.set(name, await startSimulatedCluster({ name, port: own }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const kubeconfig = merged([...simulated.values()]);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(kubeconfig);
  const cluster = (name: string): StackCluster => stackCluster(kubeConfig, { name, context: name });
  const [wds, wecs] = [cluster(WDS), WECS.map(cluster)];
  return { wds, wdsConfig: kubeConfig, wecs, simulated, kubeconfig, close };
}

/**
 * The clusters of some contexts of a kubeconfig. They are not contacted yet.
 *
 * @throws KubeConfigError
 */
export function connectClusters(
  kubeconfig: string | undefined,
  chosen: {
    readonly wds: ChosenContext | undefined;
    readonly wecs: readonly ChosenContext[];
    readonly inventory: ChosenContext | undefined;
    readonly fleet: FleetPlan | undefined;
  },
): OpenClusters {
  const connected = (one: ChosenContext): StackCluster => ({
    ...stackCluster(loadUserKubeConfig(kubeconfig, one.context), one),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  });
  const { wds, inventory, fleet } = chosen;
  return {
    ...(wds === undefined
      ? {}
      : { wds: connected(wds), wdsConfig: loadUserKubeConfig(kubeconfig, wds.context) }),
    wecs: chosen.wecs.map(connected),
    ...(inventory === undefined ? {} : { inventory: connected(inventory) }),
    ...(fleet === undefined ? {} : { fleet: connected(fleet.cluster) }),
    simulated: new Map(),
    kubeconfig: '',
    close: async () => undefined,
  };
}
