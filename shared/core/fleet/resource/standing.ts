import { objectsAt } from '#shared/core/fleet/fleet-object.ts';
import { driftOf, type ResourceRef, resourceRef } from '#shared/core/fleet/resource-states.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** A BundleDeployment, and the cluster that it is for. */
export interface DeploymentInput {
  /** The whole object, with the status that is stored. */
  readonly deployment: JsonObject;
  /** The object as it stands downstream; `undefined`: there is none. */
  readonly find: (resource: ResourceRef) => JsonObject | undefined;
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A resource of a BundleDeployment, what its stored status says is modified of it, and the object downstream. */
export interface Standing {
  /** `<apiVersion>/<kind>/<namespace>/<name>`: the key by which Fleet sorts what is modified. */
  readonly key: string;
  readonly resource: ResourceRef;
  /** Whether `status.resources` has it. */
  readonly isListed: boolean;
  /** Its entry in the stored `status.modifiedStatus`. */
  readonly entry: JsonObject | undefined;
  /** `undefined`: the cluster has none. */
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
 * Every resource of which the stored status speaks, once: those of `status.resources`, then those that only
 * `status.modifiedStatus` has. Entries without a kind or a name are none.
 */
export function standingsOf({ deployment, find }: DeploymentInput): readonly Standing[] {
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

/** Whether the deployment wants the resource: it is listed, or has been found missing or modified, not orphaned. */
export function isWanted({ isListed, entry }: Standing): boolean {
  return isListed || (entry !== undefined && driftOf(entry) !== 'orphaned');
}

/** Whether the resource was missing and has come back. */
export function hasReturned({ object, entry }: Standing): boolean {
  return object !== undefined && entry !== undefined && driftOf(entry) === 'missing';
}

/**
 * Whether the state of the object is one of the deployment's: it exists, is wanted, and does not belong to somebody else
 * (whose object has the name of the missing one).
 */
export function isAssessed(standing: Standing): boolean {
  const { object, entry } = standing;
  const isUnowned = entry !== undefined && driftOf(entry) === 'unowned';
  return object !== undefined && isWanted(standing) && !isUnowned;
}

/**
 * What is now modified of a resource, as an entry of `modifiedStatus`. A wanted one that does not exist is missing. Of one
 * that exists the stored entry stays, unless it says that the resource is missing: only a comparison with the manifests
 * can find a modification, or its end.
 */
export function modifiedEntry(standing: Standing): JsonObject | undefined {
  const { object, entry, resource } = standing;
  if (object !== undefined) return hasReturned(standing) ? undefined : entry;
  return isWanted(standing) ? { ...identityJson(resource), missing: true } : undefined;
}

/** A resource as a status names it: without members that are empty. */
export function identityJson(resource: ResourceRef): JsonObject {
  return Object.fromEntries(Object.entries(resource).filter(([, text]) => text !== ''));
}
