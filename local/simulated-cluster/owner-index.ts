import { at, isArray, isObject, type JsonObject } from '#shared/core/json.ts';
import type { ObjectName } from './object-store.ts';
import { metadataText, type ObjectEvent } from './stored-object.ts';

/** The location of an object: its resource (`resourceKey`) and its name. */
export interface ObjectAddress extends ObjectName {
  readonly key: string;
}

/** The uids in `metadata.ownerReferences`. */
export function ownersOf(object: JsonObject): readonly string[] {
  const references = at(object, 'metadata', 'ownerReferences');
  if (!isArray(references)) return [];
  return references.flatMap((reference) => {
    const uid = isObject(reference) ? reference['uid'] : undefined;
    return typeof uid === 'string' ? [uid] : [];
  });
}

/** How many uids of deleted objects are remembered, for dependents that are created after their owner is gone. */
const REMEMBERED_DELETIONS = 10_000;

/** Which object owns which, by uid. Changes of a store update it. */
export class OwnerIndex {
  readonly #dependents = new Map<string, Map<string, ObjectAddress>>();
  readonly #gone = new Set<string>();

  /** Processes one change. */
  record(key: string, { type, current, previous }: ObjectEvent): void {
    const address = { key, namespace: current.namespace, name: current.name };
    const before = previous ? ownersOf(previous.object) : [];
    const after = type === 'DELETED' ? [] : ownersOf(current.object);
    for (const uid of before) if (!after.includes(uid)) this.#unlink(uid, address);
    for (const uid of after) if (!before.includes(uid)) this.#link(uid, address);
    if (type === 'DELETED') this.#bury(metadataText(current.object, 'uid'));
  }

  /** The objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly ObjectAddress[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  /** True if the deletion of the owner has been seen. False also for an owner that has never been seen. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  #link(uid: string, address: ObjectAddress): void {
    const dependents = this.#dependents.get(uid) ?? new Map<string, ObjectAddress>();
    dependents.set(id(address), address);
    this.#dependents.set(uid, dependents);
  }

  #unlink(uid: string, address: ObjectAddress): void {
    const dependents = this.#dependents.get(uid);
    dependents?.delete(id(address));
    if (dependents?.size === 0) this.#dependents.delete(uid);
  }

  #bury(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size <= REMEMBERED_DELETIONS) return;
    const [oldest] = this.#gone;
    if (oldest !== undefined) this.#gone.delete(oldest);
  }
}

function id({ key, namespace, name }: ObjectAddress): string {
  return `${key}/${namespace}/${name}`;
}
