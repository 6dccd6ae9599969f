import { noText } from './field-messages.ts';
import { at, isObject, type JsonObject, type JsonValue, member, textAt } from './json.ts';
import { OWNED_LABELS } from './kubestellar.ts';

/** The API group of an apiVersion; `''` is the core group. */
export function apiGroup(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
}

/** A text of an object's metadata, or `''` if there is none. */
export function metadataText(object: JsonObject, field: string): string {
  return textAt(object, 'metadata', field);
}

/** `metadata.resourceVersion`, or `''` if there is none. */
export function resourceVersionOf(object: JsonObject): string {
  return metadataText(object, 'resourceVersion');
}

/** API servers make UUIDs of 36 characters, but the type is a text (Kubernetes, "Object Names and IDs"). */
const MAX_UID = 128;

/** What a uid must be: a text that is unchanged after it was stored as UTF-8. */
export const UID_RULE = noText(MAX_UID);

/** Whether a value is an object's uid. */
export function isUid(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.length <= MAX_UID && value.isWellFormed();
}

/** The format of API servers, in UTC and whole seconds, so that the texts sort like the times (RFC 3339). */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** When an API server created an object. `''` if this is not known, which sorts before every time. */
export function createdOf(object: JsonObject): string {
  const created = metadataText(object, 'creationTimestamp');
  return TIME.test(created) ? created : '';
}

function isGeneration(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** An object's uid. `''` if it is missing or invalid. */
export function uidOf(object: JsonObject): string {
  const uid = at(object, 'metadata', 'uid');
  return isUid(uid) ? uid : '';
}

/** An object's generation. 0 if it is missing or invalid. */
export function generationOf(object: JsonObject): number {
  const generation = at(object, 'metadata', 'generation');
  return isGeneration(generation) ? generation : 0;
}

/** Errors for metadata that no API server sets. Such values count as absent. */
export function metadataFaults(object: JsonObject): readonly string[] {
  const uid = at(object, 'metadata', 'uid') ?? '';
  const generation = at(object, 'metadata', 'generation') ?? 0;
  return [
    ...(isUid(uid) ? [] : [`metadata.uid: ${UID_RULE}`]),
    ...(isGeneration(generation) ? [] : ['metadata.generation: must be an integer, 0 or greater']),
  ];
}

/** The object without these fields of its metadata. */
export function withoutMetadata(object: JsonObject, ...fields: readonly string[]): JsonObject {
  const metadata = member(object, 'metadata');
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(
    ([field]) => !fields.includes(field),
  );
  return { ...object, metadata: Object.fromEntries(kept) };
}

/** A workload object without what Starfold or the API server rewrites. Rules and expressions see this object. */
export function workloadContent(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  if (!isObject(metadata)) return rest;
  const { managedFields: _fields, resourceVersion: _version, labels, ...kept } = metadata;
  const content: Record<string, JsonValue> = { ...kept };
  if (isObject(labels)) {
    const own: readonly string[] = OWNED_LABELS;
    const others = Object.entries(labels).filter(([key]) => !own.includes(key));
    if (others.length > 0) content['labels'] = Object.fromEntries(others);
  }
  return { ...rest, metadata: content };
}
