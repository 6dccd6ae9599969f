import type { JsonObject } from '#shared/core/json.ts';
import { metadataText, ObjectEvent, StoredObject } from './stored-object.ts';

/** A change at a resourceVersion. */
interface Versioned {
  readonly version: number;
}

/** The latest changes of one resource, at most `capacity` of them, oldest first. */
class EventHistory<E extends Versioned> {
  readonly #capacity: number;
  #events: E[] = [];
  #first = 0;
  #forgottenUpTo = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds a change. Its version must be greater than all earlier ones. */
  add(event: E): void {
    this.#events.push(event);
    if (this.#events.length - this.#first > this.#capacity) this.#forget(this.#first + 1);
  }

  /** The changes after a version, or `undefined` if one of them is no longer known. */
  after(version: number): readonly E[] | undefined {
    if (version < this.#forgottenUpTo) return undefined;
    let start = this.#events.length;
    while (start > this.#first && (this.#events[start - 1]?.version ?? 0) > version) start -= 1;
    return this.#events.slice(start);
  }

  /** Forgets everything up to a version, as etcd's compaction does. */
  forgetUpTo(version: number): void {
    const kept = this.#events.findIndex((event) => event.version > version);
    this.#forget(kept === -1 ? this.#events.length : Math.max(kept, this.#first));
    this.#forgottenUpTo = Math.max(this.#forgottenUpTo, version);
  }

  /** The greatest version whose event may be missing. */
  get forgottenUpTo(): number {
    return this.#forgottenUpTo;
  }

  #forget(first: number): void {
    const last = this.#events[first - 1];
    if (last !== undefined) this.#forgottenUpTo = Math.max(this.#forgottenUpTo, last.version);
    this.#first = first;
    // The rest is moved only when half of the array is unused, so that one change is O(1) on average.
    if (this.#first * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
  }
}

/** Identifies an object within one resource. */
export interface ObjectName {
  /** `''` for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
}

type Listener = (event: ObjectEvent) => void;

class Shelf {
  readonly namespaces = new Map<string, Map<string, StoredObject>>();
  readonly history: EventHistory<ObjectEvent>;
  readonly listeners = new Set<Listener>();
  constructor(historySize: number) {
    this.history = new EventHistory(historySize);
  }
}

function byName(a: StoredObject, b: StoredObject): number {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/**
 * The objects of one cluster and their history, by resource, with one counter of versions. It is what etcd and the
 * watch cache are to an API server, and does not depend on kinds, rules or HTTP. Listeners are called in the call that
 * makes the change, and may make further changes.
 */
export class ObjectStore {
  readonly #historySize: number;
  readonly #shelves = new Map<string, Shelf>();
  readonly #everywhere = new Set<(key: string, event: ObjectEvent) => void>();
  #version = 1;

  /** @param historySize after how many changes of a resource a watch can still start */
  constructor(historySize: number) {
    this.#historySize = historySize;
  }

  /** The version of the latest change. */
  get version(): number {
    return this.#version;
  }

  /** @param key name of the resource (`resourceKey`) */
  get(key: string, { namespace, name }: ObjectName): StoredObject | undefined {
    return this.#shelves.get(key)?.namespaces.get(namespace)?.get(name);
  }

  /** Stores an object, new or changed, under its `metadata.namespace` and `metadata.name`, at the next version. */
  put(key: string, object: JsonObject): StoredObject {
    const shelf = this.#shelf(key);
    this.#version += 1;
    const current = new StoredObject(object, this.#version);
    const previous = this.get(key, current);
    let names = shelf.namespaces.get(current.namespace);
    if (names === undefined) {
      names = new Map();
      shelf.namespaces.set(current.namespace, names);
    }
    names.set(current.name, current);
    this.#notify(key, new ObjectEvent(previous ? 'MODIFIED' : 'ADDED', current, previous));
    return current;
  }

  /**
   * Removes an object and returns its last state, or `undefined` if there is none.
   *
   * @param last the object in the deletion event; by default, the stored object
   */
  remove(key: string, at: ObjectName, last?: JsonObject): StoredObject | undefined {
    const previous = this.get(key, at);
    if (previous === undefined) return undefined;
    this.#version += 1;
    const names = this.#shelf(key).namespaces.get(at.namespace);
    names?.delete(at.name);
    if (names?.size === 0) this.#shelf(key).namespaces.delete(at.namespace);
    const current = new StoredObject(last ?? previous.object, this.#version);
    this.#notify(key, new ObjectEvent('DELETED', current, previous));
    return current;
  }

  /** All objects of a resource, or of one namespace of it, by namespace and name. */
  list(key: string, namespace?: string): readonly StoredObject[] {
    const namespaces = this.#shelves.get(key)?.namespaces;
    if (namespaces === undefined) return [];
    const names = namespace === undefined ? [...namespaces.values()] : [namespaces.get(namespace)];
    return names.flatMap((named) => [...(named?.values() ?? [])]).sort(byName);
  }

  /** The same list as it was at an earlier version, or `undefined` if the history does not reach back to it. */
  listAt(key: string, version: number, namespace?: string): readonly StoredObject[] | undefined {
    const later = this.eventsAfter(key, version);
    if (later === undefined) return undefined;
    const now = this.list(key, namespace);
    if (later.length === 0) return now;
    const then = new Map(now.map((stored) => [`${stored.namespace}/${stored.name}`, stored]));
    for (const { current, previous } of later.toReversed()) {
      if (namespace !== undefined && current.namespace !== namespace) continue;
      const id = `${current.namespace}/${current.name}`;
      if (previous === undefined) then.delete(id);
      else then.set(id, previous);
    }
    return [...then.values()].sort(byName);
  }

  /** The changes of a resource after a version, or `undefined` if the history does not reach back to it. */
  eventsAfter(key: string, version: number): readonly ObjectEvent[] | undefined {
    return this.#shelf(key).history.after(version);
  }

  /** The version from which the history of a resource is complete. */
  oldestKnown(key: string): number {
    return this.#shelf(key).history.forgottenUpTo;
  }

  /** Removes all history, so that every watch and page of an earlier version has expired. */
  forgetHistory(): void {
    this.#version += 1;
    for (const shelf of this.#shelves.values()) shelf.history.forgetUpTo(this.#version);
  }

  /** Calls the listener for each later change of a resource. Returns a function that stops this. */
  subscribe(key: string, listener: Listener): () => void {
    const { listeners } = this.#shelf(key);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Calls the listener for each later change of any resource. */
  subscribeToAll(listener: (key: string, event: ObjectEvent) => void): void {
    this.#everywhere.add(listener);
  }

  /** The resources that have objects in a namespace. */
  keysIn(namespace: string): readonly string[] {
    return [...this.#shelves]
      .filter(([, shelf]) => shelf.namespaces.has(namespace))
      .map(([key]) => key);
  }

  #shelf(key: string): Shelf {
    let shelf = this.#shelves.get(key);
    if (shelf === undefined) {
      shelf = new Shelf(this.#historySize);
      this.#shelves.set(key, shelf);
    }
    return shelf;
  }

  #notify(key: string, event: ObjectEvent): void {
    const shelf = this.#shelf(key);
    shelf.history.add(event);
    for (const listener of shelf.listeners) listener(event);
    event.freeLine();
    for (const listener of this.#everywhere) listener(key, event);
  }
}

/** `metadata.namespace` and `metadata.name`. */
export function nameOf(object: JsonObject): ObjectName {
  return { namespace: metadataText(object, 'namespace'), name: metadataText(object, 'name') };
}
