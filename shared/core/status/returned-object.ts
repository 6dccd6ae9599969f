import type { ReturnedObject } from '#shared/core/event.ts';
import { parseTimestamp } from '#shared/core/expression/time.ts';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { isUid } from '#shared/core/metadata.ts';
import { compareTimes } from '#shared/core/status/time-order.ts';

/**
 * Annotation on a WEC's object: the generation of the WDS object from which it was made (docs/architecture.md, section
 * 9.12).
 */
export const SOURCE_GENERATION = 'starfold.dev/source-generation';

/**
 * Annotation on a WEC's object: the UID of the WDS object from which it was made (docs/rules.md, "Objects made anew").
 */
export const SOURCE_UID = 'starfold.dev/source-uid';

function generationOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}

function sourceGeneration(object: JsonObject): number | undefined {
  const text = at(object, 'metadata', 'annotations', SOURCE_GENERATION);
  if (typeof text !== 'string' || !/^\d+$/.test(text)) return undefined;
  const generation = Number(text);
  return Number.isSafeInteger(generation) ? generation : undefined;
}

function sourceUid(object: JsonObject): string | undefined {
  const uid = at(object, 'metadata', 'annotations', SOURCE_UID);
  return isUid(uid) && uid !== '' ? uid : undefined;
}

function managedFields(object: JsonObject): readonly JsonValue[] {
  const entries = at(object, 'metadata', 'managedFields');
  return isArray(entries) ? entries : [];
}

/** Whether another manager sets the replicas through the scale subresource, as autoscalers do. */
function replicasFromScale(object: JsonObject): boolean {
  return managedFields(object).some(
    (entry) =>
      member(entry, 'subresource') === 'scale' &&
      at(entry, 'fieldsV1', 'f:spec', 'f:replicas') !== undefined,
  );
}

function isTime(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && typeof parseTimestamp(value) !== 'string';
}

/**
 * The newest time of an entry of `metadata.managedFields` that owns the status, unchanged. A text that is not an RFC
 * 3339 time is ignored.
 */
export function lastUpdate(object: JsonObject): string | undefined {
  const times = managedFields(object)
    .filter((entry) => at(entry, 'fieldsV1', 'f:status') !== undefined)
    .map((entry) => member(entry, 'time'))
    .filter(isTime);
  return times.sort(compareTimes).at(-1);
}

/** The part of a WEC's object that is sent (`shared/core/event.ts`). Absent fields stay absent. */
export function returnedObject(object: JsonObject): ReturnedObject {
  const metadata = member(object, 'metadata');
  const uid = member(metadata, 'uid');
  const source = sourceGeneration(object);
  const madeFrom = sourceUid(object);
  const created = member(metadata, 'creationTimestamp');
  const updated = lastUpdate(object);
  const { spec, status } = object;
  return {
    uid: typeof uid === 'string' ? uid : '',
    generation: generationOf(member(metadata, 'generation')),
    ...(source === undefined ? {} : { sourceGeneration: source }),
    ...(madeFrom === undefined ? {} : { sourceUid: madeFrom }),
    ...(isTime(created) ? { created } : {}),
    ...(spec === undefined ? {} : { spec }),
    ...(replicasFromScale(object) ? { replicasFromScale: true } : {}),
    ...(member(metadata, 'deletionTimestamp') === undefined ? {} : { deleting: true }),
    ...(updated === undefined ? {} : { lastUpdate: updated }),
    ...(status === undefined ? {} : { status }),
  };
}
