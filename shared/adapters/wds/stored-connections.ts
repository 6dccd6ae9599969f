import { connectStoredCluster } from '#shared/adapters/kubernetes/stored-cluster.ts';
import { parseKubeconfigLocations } from '#shared/adapters/parameters/kubeconfig-locations.ts';
import { createKubeconfigSource } from '#shared/adapters/parameters/kubeconfig-source.ts';
import type { ClusterType } from '#shared/errors.ts';
import { WDS_IDLE_TIMEOUT_MS, WDS_REQUEST_TIMEOUT_MS } from './wds-connections.ts';
import type { WdsConnectionsDeps } from './wds-session.ts';

/** Where the clusters of a type are found, and who connects to them. */
export interface StoredClusters {
  /** A JSON object from the names of the clusters to the locations of their kubeconfigs (`parseKubeconfigLocations`). */
  readonly locations: string;
  readonly clusterType: ClusterType;
  /** The region of a location that names none. */
  readonly region: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * The connections to the clusters of a type, by the locations of their kubeconfigs.
 *
 * @throws KubeconfigPlacesError
 */
export function storedConnections({
  locations: text,
  clusterType,
  region,
  clock,
}: StoredClusters): WdsConnectionsDeps {
  const parsed = parseKubeconfigLocations(text, clusterType);
  return {
    source: createKubeconfigSource(parsed, { region, clusterType }),
    clusterType,
    connect: (kubeconfig, { wds, location }) =>
      connectStoredCluster(
        { text: kubeconfig, location, allowance: parsed.get(wds)?.allow ?? {} },
        {
          fieldManager: 'starfold',
          requestTimeoutMs: WDS_REQUEST_TIMEOUT_MS,
          idleTimeoutMs: WDS_IDLE_TIMEOUT_MS,
        },
      ),
    clock,
  };
}
