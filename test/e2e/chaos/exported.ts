import { type JsonObject, member } from '#shared/core/json.ts';
import { type Cluster, listObjects } from '#test/e2e/clusters.ts';
import { controlRef } from '#test/e2e/controls.ts';
import type { Manifest } from '#test/e2e/workloads.ts';
import type { Export } from '#test/lifecycle/export.ts';

/** The clusters of a world: the stack and the forwarders reach each through a proxy, tests reach it without one. */
export interface ChaosClusters {
  readonly wds: Cluster;
  readonly wec1: Cluster;
  readonly wec2: Cluster;
}

interface Exported {
  /** Bindings and StatusCollectors of the WDS are those whose name begins so. */
  readonly namespace: string;
  /** One or more of each kind. */
  readonly manifests: readonly Manifest[];
}

async function workloads(cluster: Cluster, manifests: readonly Manifest[]) {
  const kinds = new Map(manifests.map((one) => [one.ref.resource, one]));
  const lists = [...kinds.values()].map(async ({ ref, object }) => {
    const { apiVersion = '', kind = '' } = object;
    // The items of a list of Kubernetes' own kinds do not say what they are.
    const items = await listObjects(cluster, ref, ref.namespace);
    return items.map((item) => ({ apiVersion, kind, ...item }));
  });
  return (await Promise.all(lists)).flat();
}

/** Everything of a namespace in the clusters, as their API servers return it, with what controls it in the WDS. */
export async function exportNamespace(
  { wds, wec1, wec2 }: ChaosClusters,
  { namespace, manifests }: Exported,
): Promise<Export> {
  const control = async (resource: string): Promise<readonly JsonObject[]> =>
    (await listObjects(wds, controlRef(resource, ''))).filter(({ metadata }) =>
      String(member(metadata, 'name')).startsWith(namespace),
    );
  return {
    wds: [
      ...(await workloads(wds, manifests)),
      ...(await control('bindings')),
      ...(await control('statuscollectors')),
      ...(await listObjects(wds, controlRef('combinedstatuses', ''), namespace)),
    ],
    inventory: [],
    wecs: [
      { wec: 'wec1', objects: await workloads(wec1, manifests) },
      { wec: 'wec2', objects: await workloads(wec2, manifests) },
    ],
  };
}
