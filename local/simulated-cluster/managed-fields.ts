import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { metadataOf } from './stored-object.ts';

/** A write of a part of an object. */
export interface FieldWrite {
  /** `fieldManager` of the request, or the first word of its User-Agent. */
  readonly manager: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  readonly subresource?: 'status' | 'scale';
  /** The written fields, in the notation of FieldsV1. */
  readonly fields: JsonObject;
}

/**
 * The fields of a write of the status. Only the top level is recorded, which is enough to find the time of the write.
 */
export const STATUS_FIELDS: JsonObject = { 'f:status': {} };

/** The fields of a write to `/scale`. */
export const SCALE_FIELDS: JsonObject = { 'f:spec': { 'f:replicas': {} } };

function sameWriter(entry: JsonValue, write: FieldWrite): boolean {
  return (
    at(entry, 'manager') === write.manager &&
    at(entry, 'operation') === 'Update' &&
    (at(entry, 'subresource') ?? '') === (write.subresource ?? '')
  );
}

/**
 * The object with an entry for this write in `metadata.managedFields`. It replaces the same writer's previous entry.
 */
export function noteWrite(object: JsonObject, write: FieldWrite): JsonObject {
  const metadata = metadataOf(object);
  const former = metadata['managedFields'];
  const others = (isArray(former) ? former : []).filter((entry) => !sameWriter(entry, write));
  const entry: JsonObject = {
    apiVersion: at(object, 'apiVersion') ?? '',
    fieldsType: 'FieldsV1',
    fieldsV1: write.fields,
    manager: write.manager,
    operation: 'Update',
    ...(write.subresource === undefined ? {} : { subresource: write.subresource }),
    time: write.time,
  };
  return { ...object, metadata: { ...metadata, managedFields: [...others, entry] } };
}
