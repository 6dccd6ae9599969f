import {
  FLEET_LABELS,
  isTrueAt,
  labelledCluster,
  labelOf,
  namespacedName,
  objectsAt,
} from '#shared/core/fleet-object.ts';
import { type JsonObject, member, textAt } from '#shared/core/json.ts';
import type { BundleState } from './bundle-state.ts';
import { deploymentMessage, deploymentState, isApplied, isReady } from './deployment-state.ts';
import {
  allResources,
  NO_RESOURCES,
  type ResourceCounts,
  readResourceCounts,
} from './resource-counts.ts';
import { boundedEntry, boundedText } from './resource-message.ts';
import { type KeyedResource, resourceStates } from './resource-states.ts';

const MAX_ENTRIES = 10;

/**
 * What one target of a Bundle contributes to the statuses above it. The target is a BundleDeployment, or (`Pending`) a cluster
 * that has no BundleDeployment yet.
 */
export interface DeploymentRow {
  /** `metadata.name`, which is the name of the Bundle. */
  readonly name: string;
  /** `''` for a target without a BundleDeployment. */
  readonly namespace: string;
  readonly uid: string;
  /** The Cluster, as `<namespace>/<name>`, or `''` if no label names it. */
  readonly cluster: string;
  /** The Bundle, as `<namespace>/<name>`. */
  readonly bundle: string;
  /** The GitRepo, as `<namespace>/<name>`, or `''` if there is none. */
  readonly repo: string;
  /** The HelmOp, as `<namespace>/<name>`, or `''` if there is none. */
  readonly helmOp: string;
  readonly state: BundleState;
  /** `''` if there is no message. */
  readonly message: string;
  /** ModifiedStatus, at most ten entries. */
  readonly modified: readonly JsonObject[];
  /** NonReadyStatus, at most ten entries. */
  readonly nonReady: readonly JsonObject[];
  /** Whether the wanted version is not the applied version, or a resource is not ready. */
  readonly unavailable: boolean;
  readonly counts: ResourceCounts;
  /** Sorted by key. */
  readonly resources: readonly KeyedResource[];
  /** Whether the agent has left out resources that are not ready or modified. */
  readonly incomplete: boolean;
}

/** The objects above a BundleDeployment, or above a target that has none yet. */
export type RowParents = Pick<DeploymentRow, 'bundle' | 'repo' | 'helmOp'>;

function listAt(deployment: JsonObject, field: string): readonly JsonObject[] {
  return objectsAt(deployment, 'status', field).slice(0, MAX_ENTRIES).map(boundedEntry);
}

/** If a deployment waits for its agent, only the previous number of its resources is known (docs/fleet.md). */
function countsIn(deployment: JsonObject, state: BundleState): ResourceCounts {
  const counts = readResourceCounts(member(deployment['status'], 'resourceCounts'));
  return state === 'WaitApplied' ? allResources(counts, 'waitApplied') : counts;
}

function parentId(object: JsonObject, label: string, namespace: string): string {
  const name = labelOf(object, label);
  return name === '' ? '' : namespacedName(namespace, name);
}

/** The GitRepo and HelmOp that the labels of a Bundle or BundleDeployment name. They are in the Bundle's namespace. */
export function parentsOf(object: JsonObject, namespace: string, name: string): RowParents {
  return {
    bundle: namespacedName(namespace, name),
    repo: parentId(object, FLEET_LABELS.repo, namespace),
    helmOp: parentId(object, FLEET_LABELS.helmOp, namespace),
  };
}

/**
 * Reads a BundleDeployment. Its labels name the objects above it. If it has no bundle-name label, its Bundle has the same name.
 *
 * @param deployment a BundleDeployment; fields of the wrong type count as absent
 */
export function deploymentRow(deployment: JsonObject): DeploymentRow {
  const name = textAt(deployment, 'metadata', 'name');
  const state = deploymentState(deployment);
  return {
    name,
    namespace: textAt(deployment, 'metadata', 'namespace'),
    uid: textAt(deployment, 'metadata', 'uid'),
    cluster: labelledCluster(deployment),
    ...parentsOf(
      deployment,
      labelOf(deployment, FLEET_LABELS.bundleNamespace),
      labelOf(deployment, FLEET_LABELS.bundle) || name,
    ),
    state,
    message: boundedText(deploymentMessage(deployment)),
    modified: listAt(deployment, 'modifiedStatus'),
    nonReady: listAt(deployment, 'nonReadyStatus'),
    unavailable: !isApplied(deployment) || !isReady(deployment),
    counts: countsIn(deployment, state),
    resources: resourceStates({ deployment, state }),
    incomplete: isTrueAt(deployment, 'status', 'incompleteState'),
  };
}

/** The row of a target that has no BundleDeployment yet (Fleet, Status Fields, "Pending"). */
export function pendingRow(parents: RowParents, cluster: string): DeploymentRow {
  return {
    name: parents.bundle.slice(parents.bundle.indexOf('/') + 1),
    namespace: '',
    uid: '',
    cluster,
    ...parents,
    state: 'Pending',
    message: '',
    modified: [],
    nonReady: [],
    // Fleet only counts BundleDeployments in this field.
    unavailable: false,
    counts: NO_RESOURCES,
    resources: [],
    incomplete: false,
  };
}

/** The states that describe the resources at the time when the agent last looked. */
const OBSERVED: ReadonlySet<BundleState> = new Set(['Ready', 'NotReady', 'Modified']);

/**
 * The row of a deployment whose cluster is silent. The state that the agent last observed may no longer be true, so it becomes
 * unknown. A state that says that the agent has still to act does not change.
 *
 * @param silence the message to add
 */
export function silentRow(row: DeploymentRow, silence: string): DeploymentRow {
  if (row.state === 'Pending') return row;
  const resources = row.resources.map(
    ([key, { ref }]) =>
      [key, { ref, state: 'Unknown', error: false, transitioning: false, message: '' }] as const,
  );
  const wasObserved = OBSERVED.has(row.state);
  return {
    ...row,
    state: wasObserved ? 'NotReady' : row.state,
    message: wasObserved || row.message === '' ? silence : `${row.message}; ${silence}`,
    modified: [],
    nonReady: [],
    unavailable: true,
    counts: allResources(row.counts, 'unknown'),
    resources,
  };
}
