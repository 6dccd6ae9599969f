import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, type Cluster, clusters, collectionPath, request, setStatus } from './clusters.ts';
import { controlRef } from './controls.ts';
import {
  APPLIED_MANIFEST_WORK,
  define,
  MANAGED_CLUSTER,
  MANAGED_CLUSTERS,
  WORK_STATUS,
  WORK_STATUSES,
  WORKS,
} from './open-cluster-management-kinds.ts';
import type { Manifest } from './workloads.ts';

/** Defines what OCM's agent writes in a WEC, and waits until it is served. */
export async function defineWorks(cluster: Cluster): Promise<void> {
  await define(cluster, APPLIED_MANIFEST_WORK);
}

/** Defines what KubeStellar and OCM write in an ITS, and waits until it is served. */
export async function defineInventory(cluster: Cluster): Promise<void> {
  await define(cluster, WORK_STATUS);
  await define(cluster, MANAGED_CLUSTER);
}

const HUB_HASH = 'b4d1';

/** Where the record of a ManifestWork stands in its WEC. */
export function workRef(manifestWorkName: string): ObjectRef {
  return { ...WORKS, namespace: '', name: `${HUB_HASH}-${manifestWorkName}` };
}

/** The name that KubeStellar's transport gives the ManifestWork of one object. */
export function kubeStellarWork(binding: JsonObject, wds: string, object: JsonObject): string {
  return `${at(binding, 'metadata', 'uid')}-${wds}-${at(object, 'metadata', 'uid')}`;
}

/**
 * Does what OCM's agent does with a ManifestWork: it records it, applies its manifests as owned by that record, and writes
 * into the record's status what it has applied.
 */
export async function applyWork(
  cluster: Cluster,
  manifestWorkName: string,
  manifests: readonly Manifest[],
): Promise<void> {
  const ref = workRef(manifestWorkName);
  const apiVersion = `${WORKS.group}/${WORKS.version}`;
  const kind = APPLIED_MANIFEST_WORK.kind;
  const record = await apply(cluster, ref, {
    apiVersion,
    kind,
    metadata: { name: ref.name },
    spec: { hubHash: HUB_HASH, agentID: 'e2e', manifestWorkName },
  });
  const owner = { apiVersion, kind, name: ref.name, uid: at(record, 'metadata', 'uid') ?? '' };
  const appliedResources: JsonValue[] = [];
  for (const manifest of manifests) {
    const { metadata, ...rest } = manifest.object;
    const owned = { ...Object(metadata), ownerReferences: [owner] };
    const applied = await apply(cluster, manifest.ref, { ...rest, metadata: owned });
    appliedResources.push({ ...manifest.ref, uid: at(applied, 'metadata', 'uid') ?? '' });
  }
  await setStatus(cluster, ref, { appliedResources });
}

/** Whether an agent has applied an object of a WEC. */
export function isApplied(object: JsonObject): boolean {
  const owners = at(object, 'metadata', 'ownerReferences');
  if (!isArray(owners)) return false;
  return owners.some((owner) => at(owner, 'kind') === APPLIED_MANIFEST_WORK.kind);
}

/** Of what the status add-on writes a WorkStatus. */
export interface WorkOrigin {
  readonly wec: string;
  readonly wds: string;
  readonly binding: string;
  /** The uid of the AppliedManifestWork in the WEC. */
  readonly work: string;
}

/** Where the add-on writes of an object of a WEC. */
export function workStatusRef(
  { ref, object }: Manifest,
  { wec, work }: Pick<WorkOrigin, 'wec' | 'work'>,
): ObjectRef {
  const kind = String(object['kind']).toLowerCase();
  const name = `${work}-${ref.group}${ref.version}-${kind}-${ref.namespace}-${ref.name}`;
  return { ...WORK_STATUSES, namespace: wec, name };
}

/** Does what the add-on does when it first sees an object in a WEC: a WorkStatus without a status. */
export async function reportWork(
  its: Cluster,
  manifest: Manifest,
  origin: WorkOrigin,
): Promise<void> {
  const ref = workStatusRef(manifest, origin);
  const { group, version, resource, namespace, name } = manifest.ref;
  const kind = manifest.object['kind'] ?? '';
  await apply(its, ref, {
    apiVersion: `${ref.group}/${ref.version}`,
    kind: WORK_STATUS.kind,
    metadata: {
      namespace: ref.namespace,
      name: ref.name,
      labels: {
        'transport.kubestellar.io/originWdsName': origin.wds,
        'transport.kubestellar.io/originOwnerReferenceBindingKey': origin.binding,
      },
    },
    spec: { sourceRef: { group, version, resource, kind, name, namespace } },
    statusDetails: {
      lastGeneration: 0,
      lastGenerationIsApplied: false,
      lastCurrencyUpdateTime: '1970-01-01T00:00:00Z',
    },
  });
}

/**
 * Makes the hub say whether a WEC's agent renews its lease.
 *
 * @param since when that began; RFC 3339
 */
export async function setAvailable(
  its: Cluster,
  name: string,
  { status, since }: { readonly status: 'True' | 'Unknown'; readonly since: string },
): Promise<void> {
  const ref: ObjectRef = { ...MANAGED_CLUSTERS, namespace: '', name };
  await apply(its, ref, {
    apiVersion: `${ref.group}/${ref.version}`,
    kind: MANAGED_CLUSTER.kind,
    metadata: { name },
    spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
  });
  const type = 'ManagedClusterConditionAvailable';
  const reason = status === 'True' ? 'ManagedClusterAvailable' : 'ManagedClusterLeaseUpdateStopped';
  const condition = { type, status, reason, message: reason, lastTransitionTime: since };
  await setStatus(its, ref, { conditions: [condition] });
}

/**
 * Removes the Bindings and works of other tests: one that names what a role does not allow makes a forwarder with that
 * role wait for a minute before it goes on without.
 */
export async function removeLeftovers(): Promise<void> {
  const { wds, wec1, wec2 } = clusters();
  const leftovers = [
    [wds, controlRef('bindings', '')],
    [wec1, workRef('')],
    [wec2, workRef('')],
  ] as const;
  for (const [cluster, ref] of leftovers)
    await request(cluster, { method: 'DELETE', path: collectionPath(ref) });
}
