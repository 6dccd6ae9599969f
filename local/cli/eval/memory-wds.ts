import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';

function keyOf({ group, resource, namespace, name }: ObjectRef): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

function withLabels(
  object: JsonObject,
  changes: Readonly<Record<string, string | null>>,
): JsonObject {
  const metadata = member(object, 'metadata');
  const { labels, ...kept } = isObject(metadata) ? metadata : {};
  const merged = { ...(isObject(labels) ? labels : {}), ...changes };
  const entries = Object.entries(merged).filter(([, value]) => value !== null);
  const next = entries.length === 0 ? {} : { labels: Object.fromEntries(entries) };
  return { ...object, metadata: { ...kept, ...next } };
}

/** A WDS in memory. It stores what the writer writes, and no other component changes it. */
export class MemoryWds implements ObjectApi {
  readonly #objects = new Map<string, JsonObject>();

  /** Stores an object as it is given. */
  put(ref: ObjectRef, object: JsonObject): void {
    this.#objects.set(keyOf(ref), object);
  }

  /** Every object, in no particular order. */
  objects(): readonly JsonObject[] {
    return [...this.#objects.values()];
  }

  async get(ref: ObjectRef): Promise<JsonObject | undefined> {
    return this.#objects.get(keyOf(ref));
  }

  async create(ref: ObjectRef, object: JsonObject): Promise<JsonObject> {
    return this.#set(ref, object);
  }

  async replace(ref: ObjectRef, object: JsonObject): Promise<JsonObject> {
    return this.#set(ref, object);
  }

  async replaceStatus(
    ref: ObjectRef,
    { status }: { readonly status: JsonValue },
  ): Promise<JsonObject> {
    return this.#set(ref, { ...this.#stored(ref), status });
  }

  async patchLabels(
    ref: ObjectRef,
    { labels }: { readonly labels: Readonly<Record<string, string | null>> },
  ): Promise<JsonObject> {
    return this.#set(ref, withLabels(this.#stored(ref), labels));
  }

  async delete(ref: ObjectRef): Promise<void> {
    this.#objects.delete(keyOf(ref));
  }

  #stored(ref: ObjectRef): JsonObject {
    return this.#objects.get(keyOf(ref)) ?? {};
  }

  #set(ref: ObjectRef, object: JsonObject): JsonObject {
    this.#objects.set(keyOf(ref), object);
    return object;
  }
}
