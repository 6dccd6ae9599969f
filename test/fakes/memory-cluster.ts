import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { ApiConflictError, ApiNotFoundError } from '#shared/errors.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';

/** A change of an object, as a watch would tell it. */
export interface ClusterChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly ref: ObjectRef;
  readonly object: JsonObject;
}

/** A cluster in memory: the API server's rules for versions, generations and garbage, and nothing else. */
export interface MemoryCluster {
  readonly api: ObjectApi;
  /** Every object that stands in the cluster. */
  objects(): readonly { readonly ref: ObjectRef; readonly object: JsonObject }[];
  /** Creates or replaces an object as a user would: `.status` is taken too; generation grows with the spec. */
  apply(ref: ObjectRef, object: JsonObject): JsonObject;
  /** Stores an object just as it is, as a recording has it; only the resourceVersion is this cluster's own. */
  restore(ref: ObjectRef, object: JsonObject): void;
  /** Deletes an object and what it owns. */
  remove(ref: ObjectRef): void;
  /** Told of every change, in order. */
  onChange: (change: ClusterChange) => void;
}

function keyOf({ group, resource, namespace, name }: ObjectRef): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

interface Stored {
  readonly ref: ObjectRef;
  object: JsonObject;
}

/** An empty cluster. `uid` gives a new uid each time. */
export function createMemoryCluster(uid: () => string): MemoryCluster {
  const stored = new Map<string, Stored>();
  let version = 0;

  const metadataOf = (object: JsonObject): JsonObject => {
    const metadata = member(object, 'metadata');
    return isObject(metadata) ? metadata : {};
  };
  const put = (ref: ObjectRef, object: JsonObject): JsonObject => {
    const key = keyOf(ref);
    const before = stored.get(key)?.object;
    if (before !== undefined && equalJson(before, object)) return before;
    version += 1;
    const next = {
      ...object,
      metadata: { ...metadataOf(object), resourceVersion: String(version) },
    };
    stored.set(key, { ref, object: next });
    cluster.onChange({ type: before === undefined ? 'ADDED' : 'MODIFIED', ref, object: next });
    return next;
  };
  const current = (ref: ObjectRef, resourceVersion: string, verb: string): JsonObject => {
    const object = stored.get(keyOf(ref))?.object;
    if (object === undefined) throw new ApiNotFoundError(verb, keyOf(ref));
    if (text(at(object, 'metadata', 'resourceVersion')) !== resourceVersion)
      throw new ApiConflictError(verb, 'the object has been modified');
    return object;
  };
  const remove = (ref: ObjectRef): void => {
    const gone = stored.get(keyOf(ref));
    if (gone === undefined) return;
    stored.delete(keyOf(ref));
    version += 1;
    cluster.onChange({ type: 'DELETED', ref, object: gone.object });
    const owner = text(at(gone.object, 'metadata', 'uid'));
    for (const dependent of [...stored.values()]) {
      const owners = at(dependent.object, 'metadata', 'ownerReferences');
      if (isArray(owners) && owners.some((one) => member(one, 'uid') === owner))
        remove(dependent.ref);
    }
  };
  const born = (object: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...metadataOf(object), uid: uid(), generation: 1 },
  });

  const cluster: MemoryCluster = {
    onChange: () => undefined,
    objects: () => [...stored.values()],
    apply(ref, object) {
      const before = stored.get(keyOf(ref))?.object;
      if (before === undefined) return put(ref, born(object));
      const specChanged = !equalJson(member(before, 'spec'), member(object, 'spec'));
      const generation = Number(at(before, 'metadata', 'generation')) + Number(specChanged);
      const kept = { ...metadataOf(before), ...metadataOf(object), generation };
      return put(ref, { ...object, metadata: kept });
    },
    restore: (ref, object) => void put(ref, object),
    remove,
    api: {
      get: async (ref) => stored.get(keyOf(ref))?.object,
      async create(ref, object) {
        if (stored.has(keyOf(ref))) throw new ApiConflictError('create', 'it exists already');
        return put(ref, born(object));
      },
      async replace(ref, object) {
        current(ref, text(at(object, 'metadata', 'resourceVersion')), 'replace');
        return put(ref, object);
      },
      async replaceStatus(ref, { resourceVersion, status }) {
        return put(ref, { ...current(ref, resourceVersion, 'status'), status });
      },
      async patchLabels(ref, { resourceVersion, labels }) {
        const object = current(ref, resourceVersion, 'labels');
        const before = at(object, 'metadata', 'labels');
        const merged: Record<string, JsonValue> = isObject(before) ? { ...before } : {};
        for (const [key, value] of Object.entries(labels)) {
          if (value === null) delete merged[key];
          else merged[key] = value;
        }
        return put(ref, { ...object, metadata: { ...metadataOf(object), labels: merged } });
      },
      async delete(ref, precondition) {
        const object = stored.get(keyOf(ref))?.object;
        if (object === undefined) return;
        if (text(at(object, 'metadata', 'uid')) !== precondition.uid)
          throw new ApiConflictError('delete', 'another object has this name');
        current(ref, precondition.resourceVersion, 'delete');
        remove(ref);
      },
    },
  };
  return cluster;
}
