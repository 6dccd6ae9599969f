import { compareText } from '#shared/core/collector/first-entries.ts';
import { isTrueAt, objectsAt } from '#shared/core/fleet-object.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { BundleState } from './bundle-state.ts';
import { boundedText, resourceMessage } from './resource-message.ts';

/** The identity of a resource, independent of its cluster. */
export interface ResourceRef {
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for a cluster-scoped resource. */
  readonly namespace: string;
  readonly name: string;
}

/** The state of a resource in one cluster. */
export interface ResourceState {
  readonly ref: ResourceRef;
  readonly state: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  /** `''` if there is no message. */
  readonly message: string;
}

/** A resource and its {@link resourceKey}. */
export type KeyedResource = readonly [key: string, resource: ResourceState];

/** `<group>.<kind in lower case>`, or only the kind for the core group (Fleet's code, `Resource.Type`). */
export function resourceType({ apiVersion, kind }: ResourceRef): string {
  const group = apiGroup(apiVersion);
  const lower = kind.toLowerCase();
  return group === '' ? lower : `${group}.${lower}`;
}

/** `<namespace>/<name>`, or the name of a cluster-scoped resource. */
export function resourceId({ namespace, name }: ResourceRef): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Identifies a resource. The keys have the order of Fleet's list: by type and id. */
export function resourceKey(ref: ResourceRef): string {
  const { apiVersion, kind, namespace } = ref;
  return `${resourceType(ref)}/${resourceId(ref)} ${apiVersion} ${kind} ${namespace}`;
}

/** The resource that an entry of a status describes. A missing member is `''`. */
export function resourceRef(entry: JsonObject): ResourceRef {
  return {
    apiVersion: textAt(entry, 'apiVersion'),
    kind: textAt(entry, 'kind'),
    namespace: textAt(entry, 'namespace'),
    name: textAt(entry, 'name'),
  };
}

/** How a resource differs from what was deployed. */
export type Drift = 'missing' | 'unowned' | 'orphaned' | 'modified';

/**
 * How the resource of an entry of `modifiedStatus` differs. If several flags are set, the order is the one by which Fleet
 * counts.
 */
export function driftOf(entry: JsonObject): Drift {
  if (isTrueAt(entry, 'missing')) return isTrueAt(entry, 'exist') ? 'unowned' : 'missing';
  return isTrueAt(entry, 'delete') ? 'orphaned' : 'modified';
}

/** The state of the resources that are not in the agent's lists. */
function defaultState(state: BundleState, incomplete: boolean): string {
  if (state !== 'NotReady' && state !== 'Modified') return state;
  return incomplete ? 'Unknown' : 'Ready';
}

function nonReadyState(entry: JsonObject): ResourceState {
  return {
    ref: resourceRef(entry),
    state: boundedText(textAt(entry, 'summary', 'state')) || 'NotReady',
    error: isTrueAt(entry, 'summary', 'error'),
    transitioning: isTrueAt(entry, 'summary', 'transitioning'),
    message: resourceMessage(entry),
  };
}

const DRIFT_STATES: Readonly<Record<Drift, string>> = {
  missing: 'Missing',
  unowned: 'Missing',
  orphaned: 'Orphaned',
  modified: 'Modified',
};

function modifiedState(entry: JsonObject): ResourceState {
  // If a resource is both, Fleet counts it as missing and lists it as orphaned.
  const state = isTrueAt(entry, 'delete') ? 'Orphaned' : DRIFT_STATES[driftOf(entry)];
  return { ref: resourceRef(entry), state, error: false, transitioning: false, message: '' };
}

/** A BundleDeployment, which reports its resources, and its own state. */
export interface ReportedResources {
  readonly deployment: JsonObject;
  readonly state: BundleState;
}

/**
 * The state of each resource of a BundleDeployment, sorted by {@link resourceKey}. The state of the deployment comes first,
 * then `nonReadyStatus` and `modifiedStatus` override it (Fleet, Status Fields, "Resources List"; fields and order as in
 * Fleet's code).
 */
export function resourceStates({ deployment, state }: ReportedResources): readonly KeyedResource[] {
  const status = deployment['status'];
  const common = defaultState(state, isTrueAt(status, 'incompleteState'));
  const states = new Map<string, ResourceState>();
  const add = (one: ResourceState): void => {
    states.set(resourceKey(one.ref), one);
  };
  for (const entry of objectsAt(status, 'resources'))
    add({
      ref: resourceRef(entry),
      state: common,
      error: false,
      transitioning: false,
      message: '',
    });
  for (const entry of objectsAt(status, 'nonReadyStatus')) add(nonReadyState(entry));
  for (const entry of objectsAt(status, 'modifiedStatus')) add(modifiedState(entry));
  return [...states].sort(([a], [b]) => compareText(a, b));
}
