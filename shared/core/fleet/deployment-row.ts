import { type JsonObject, member, textAt } from '#shared/core/json.ts';
import type { BundleState } from './bundle-state.ts';
import { deploymentMessage, deploymentState, isApplied, isReady } from './deployment-state.ts';
import {
  FLEET_LABELS,
  isTrueAt,
  labelledCluster,
  labelOf,
  namespacedName,
  objectsAt,
} from './fleet-object.ts';
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
 * What one target of a Bundle contributes to every status above it: a BundleDeployment, or (`Pending`) that there is none
 * yet in a cluster that is to have one.
 */
export interface DeploymentRow {
  /** `metadata.name`, which is that of the Bundle. */
  readonly name: string;
  /** `''` for a target without a BundleDeployment. */
  readonly namespace: string;
  readonly uid: string;
  /** The Cluster, as `<namespace>/<name>`; `''`: no label says which. */
  readonly cluster: string;
  /** The Bundle, as `<namespace>/<name>`. */
  readonly bundle: string;
  /** The GitRepo, as `<namespace>/<name>`; `''`: none. */
  readonly repo: string;
  /** The HelmOp, as `<namespace>/<name>`; `''`: none. */
  readonly helmOp: string;
  readonly state: BundleState;
  /** `''`: nothing to say. */
  readonly message: string;
  /** ModifiedStatus: at most ten. */
  readonly modified: readonly JsonObject[];
  /** NonReadyStatus: at most ten. */
  readonly nonReady: readonly JsonObject[];
  /** Whether another version is wanted than the applied one, or a resource is not ready. */
  readonly unavailable: boolean;
  readonly counts: ResourceCounts;
  /** Sorted by key. */
  readonly resources: readonly KeyedResource[];
  /** Whether the agent left out some of what is not ready or modified. */
  readonly incomplete: boolean;
}

/** What is above a BundleDeployment, or will be. */
export type RowParents = Pick<DeploymentRow, 'bundle' | 'repo' | 'helmOp'>;

function listAt(deployment: JsonObject, field: string): readonly JsonObject[] {
  return objectsAt(deployment, 'status', field).slice(0, MAX_ENTRIES).map(boundedEntry);
}

/** Of a deployment that waits for its agent, only how many resources there were is known (docs/fleet.md). */
function countsIn(deployment: JsonObject, state: BundleState): ResourceCounts {
  const counts = readResourceCounts(member(deployment['status'], 'resourceCounts'));
  return state === 'WaitApplied' ? allResources(counts, 'waitApplied') : counts;
}

function parentId(object: JsonObject, label: string, namespace: string): string {
  const name = labelOf(object, label);
  return name === '' ? '' : namespacedName(namespace, name);
}

/** The GitRepo and HelmOp that the labels of a Bundle, or of a BundleDeployment, name: they stand in the Bundle's namespace. */
export function parentsOf(object: JsonObject, namespace: string, name: string): RowParents {
  return {
    bundle: namespacedName(namespace, name),
    repo: parentId(object, FLEET_LABELS.repo, namespace),
    helmOp: parentId(object, FLEET_LABELS.helmOp, namespace),
  };
}

/**
 * Reads a BundleDeployment. Its labels say to what it belongs; without a bundle-name it is its Bundle's namesake.
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

/** A target that has no BundleDeployment yet (Fleet, Status Fields, "Pending"). */
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
    // Fleet counts BundleDeployments here.
    unavailable: false,
    counts: NO_RESOURCES,
    resources: [],
    incomplete: false,
  };
}

/** States that say how resources were when the agent last looked. */
const OBSERVED: ReadonlySet<BundleState> = new Set(['Ready', 'NotReady', 'Modified']);

/**
 * A row of a cluster whose agent has fallen silent: what it last saw is not known to be so any more. What is to be done
 * and has not been done stays so.
 *
 * @param silence what to say of it
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
