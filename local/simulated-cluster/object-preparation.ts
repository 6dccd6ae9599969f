import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import { noteWrite, STATUS_FIELDS } from './managed-fields.ts';
import { NAMESPACES, type ResourceDefinition, resourceKey } from './resources.ts';
import { metadataOf } from './stored-object.ts';

/** The writer, and the time of the write. */
export interface Writer {
  readonly manager: string;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

/** Which part of an object a request may change. */
export type Part = 'main' | 'status' | 'scale';

/** The members of `metadata` that a client sets. The API server keeps all others. */
const CLIENT_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

function isEmpty(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : value === undefined || value === null;
}

function clientMetadata(object: JsonObject): JsonObject {
  const metadata = metadataOf(object);
  return Object.fromEntries(
    CLIENT_METADATA.flatMap((key) => {
      const value = metadata[key];
      return value === undefined || isEmpty(value) ? [] : [[key, value]];
    }),
  );
}

function serverMetadata(object: JsonObject): JsonObject {
  const client: readonly string[] = CLIENT_METADATA;
  return Object.fromEntries(
    Object.entries(metadataOf(object)).filter(([key]) => !client.includes(key)),
  );
}

function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

/**
 * The object with `.status` as the API server stores it. If it is missing and the kind has an initial status, that one
 * is used.
 */
function withStatus(
  definition: ResourceDefinition,
  object: JsonObject,
  { status, now }: { readonly status: JsonValue | undefined; readonly now: string },
): JsonObject {
  const rest = without(object, 'status');
  if (status !== undefined && status !== null) return { ...rest, status };
  const initial = definition.initialStatus;
  if (initial === undefined) return rest;
  return { ...rest, status: typeof initial === 'function' ? initial(object, now) : initial };
}

function withNamespaceLabel(definition: ResourceDefinition, object: JsonObject): JsonObject {
  if (resourceKey(definition) !== NAMESPACES) return object;
  const metadata = metadataOf(object);
  const labels = member(metadata, 'labels');
  const named = { 'kubernetes.io/metadata.name': metadata['name'] ?? '' };
  return {
    ...object,
    metadata: { ...metadata, labels: { ...(isObject(labels) ? labels : {}), ...named } },
  };
}

/**
 * A new object as it is stored, without its resourceVersion.
 *
 * @param body the object as its creator sent it, with its name
 */
export function newObject(
  definition: ResourceDefinition,
  body: JsonObject,
  writer: Writer & { readonly uid: string },
): JsonObject {
  const sent = metadataOf(body);
  const metadata: JsonObject = {
    ...(sent['generateName'] === undefined ? {} : { generateName: sent['generateName'] }),
    ...(sent['namespace'] === undefined ? {} : { namespace: sent['namespace'] }),
    name: sent['name'] ?? '',
    uid: writer.uid,
    creationTimestamp: writer.now,
    ...(definition.generation === false ? {} : { generation: 1 }),
    ...clientMetadata(body),
  };
  const status = definition.statusSubresource ? undefined : body['status'];
  const stored = withStatus(definition, { ...body, metadata }, { status, now: writer.now });
  const labelled = withNamespaceLabel(definition, stored);
  return status === undefined
    ? labelled
    : noteWrite(labelled, { manager: writer.manager, time: writer.now, fields: STATUS_FIELDS });
}

function nextGeneration(
  definition: ResourceDefinition,
  stored: JsonObject,
  next: JsonObject,
): JsonObject {
  const generation = at(stored, 'metadata', 'generation');
  if (typeof generation !== 'number') return next;
  const ignored = ['metadata', ...(definition.statusSubresource ? ['status'] : [])];
  if (equalJson(without(stored, ...ignored), without(next, ...ignored))) return next;
  return { ...next, metadata: { ...metadataOf(next), generation: generation + 1 } };
}

function mainChange(
  definition: ResourceDefinition,
  stored: JsonObject,
  incoming: JsonObject,
): JsonObject {
  const status = (definition.statusSubresource ? stored : incoming)['status'];
  const next = {
    ...without(incoming, 'status'),
    ...(status === undefined ? {} : { status }),
    metadata: { ...serverMetadata(stored), ...clientMetadata(incoming) },
  };
  return nextGeneration(definition, stored, next);
}

/**
 * A stored object after a request. What the request may not change is kept. If the request changes nothing, the result
 * equals `stored`.
 *
 * @param incoming the whole object that the request makes
 */
export function changedObject(
  definition: ResourceDefinition,
  stored: JsonObject,
  change: { readonly incoming: JsonObject; readonly part: Part; readonly now: string },
): JsonObject {
  return change.part === 'status'
    ? withStatus(definition, stored, { status: change.incoming['status'], now: change.now })
    : mainChange(definition, stored, change.incoming);
}

/** The object marked as being deleted. It stays until its finalizers are removed. */
export function markedForDeletion(stored: JsonObject, now: string): JsonObject {
  const metadata = metadataOf(stored);
  if (metadata['deletionTimestamp'] !== undefined) return stored;
  const generation = metadata['generation'];
  return {
    ...stored,
    metadata: {
      ...metadata,
      ...(typeof generation === 'number' ? { generation: generation + 1 } : {}),
      deletionGracePeriodSeconds: 0,
      deletionTimestamp: now,
    },
  };
}

/** Whether the object has finalizers. */
export function hasFinalizers(object: JsonObject): boolean {
  return !isEmpty(at(object, 'metadata', 'finalizers'));
}
