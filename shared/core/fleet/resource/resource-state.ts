import { driftOf, type ResourceRef, resourceRef } from '#shared/core/fleet/resource-states.ts';
import { objectsAt } from '#shared/core/fleet-object.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** A BundleDeployment, and access to the objects of its cluster. */
export interface DeploymentInput {
  /** The whole object, with the stored status. */
  readonly deployment: JsonObject;
  /** Returns the object in the cluster, or undefined if there is none. */
  readonly find: (resource: ResourceRef) => JsonObject | undefined;
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A resource of a BundleDeployment, its entry in the stored `status.modifiedStatus`, and the object in the cluster. */
export interface ResourceState {
  /** `<apiVersion>/<kind>/<namespace>/<name>`: Fleet sorts modified resources by this key. */
  readonly key: string;
  readonly resource: ResourceRef;
  /** Whether `status.resources` has it. */
  readonly isListed: boolean;
  /** Its entry in the stored `status.modifiedStatus`. */
  readonly entry: JsonObject | undefined;
  /** undefined if the cluster does not have it. */
  readonly object: JsonObject | undefined;
}

function keyOf({ apiVersion, kind, namespace, name }: ResourceRef): string {
  return [apiVersion, kind, namespace, name].join('/');
}

function keyed(
  status: JsonValue | undefined,
  list: string,
): ReadonlyMap<string, readonly [resource: ResourceRef, entry: JsonObject]> {
  const entries = objectsAt(status, list)
    .map((entry) => [resourceRef(entry), entry] as const)
    .filter(([{ kind, name }]) => kind !== '' && name !== '');
  return new Map(entries.map((pair) => [keyOf(pair[0]), pair]));
}

/**
 * Every resource that the stored status names, once: the resources of `status.resources`, then those that only
 * `status.modifiedStatus` has. Entries without a kind or a name are ignored.
 */
export function resourceStates({ deployment, find }: DeploymentInput): readonly ResourceState[] {
  const listed = keyed(deployment['status'], 'resources');
  const entries = keyed(deployment['status'], 'modifiedStatus');
  return [...new Map([...listed, ...entries])].map(([key, [resource]]) => ({
    key,
    resource,
    isListed: listed.has(key),
    entry: entries.get(key)?.[1],
    object: find(resource),
  }));
}

/**
 * Whether the deployment wants the resource: `status.resources` lists it, or it was found missing or modified, not orphaned.
 */
export function isWanted({ isListed, entry }: ResourceState): boolean {
  return isListed || (entry !== undefined && driftOf(entry) !== 'orphaned');
}

/** Whether the resource was missing and has come back. */
export function hasReturned({ object, entry }: ResourceState): boolean {
  return object !== undefined && entry !== undefined && driftOf(entry) === 'missing';
}

/**
 * Whether the state of the object counts for the deployment: it exists, is wanted, and does not belong to another owner (an
 * object that has the name of a missing resource).
 */
export function isAssessed(
  state: ResourceState,
): state is ResourceState & { readonly object: JsonObject } {
  const { object, entry } = state;
  const isUnowned = entry !== undefined && driftOf(entry) === 'unowned';
  return object !== undefined && isWanted(state) && !isUnowned;
}

/**
 * The current entry of `modifiedStatus` for a resource. A wanted resource that does not exist is missing. If the resource
 * exists, its stored entry stays unless that entry says that the resource is missing: only a comparison with the manifests can
 * find that a resource was modified, or no longer is.
 */
export function modifiedEntry(state: ResourceState): JsonObject | undefined {
  const { object, entry, resource } = state;
  if (object !== undefined) return hasReturned(state) ? undefined : entry;
  return isWanted(state) ? { ...identityJson(resource), missing: true } : undefined;
}

/** The identity of a resource in a status, without empty members. */
export function identityJson(resource: ResourceRef): JsonObject {
  return Object.fromEntries(Object.entries(resource).filter(([, text]) => text !== ''));
}
