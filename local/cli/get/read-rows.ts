import { contentHash } from '#shared/content-hash.ts';
import { isObject, type JsonObject, stringifyJson, textAt } from '#shared/core/json.ts';
import type { TableRow } from './table.ts';

/** A hash of what counts as a change: not when it was read, and not the last contact, which is only read when it is shown. */
export function digestOf(object: JsonObject): string {
  const { lastContact: _contact, metadata, ...content } = object;
  const { resourceVersion: _version, ...own } = isObject(metadata) ? metadata : {};
  return contentHash(stringifyJson({ ...content, metadata: own }));
}

/** The revision of a list, or of the object of an event. In a bookmark of a Table, the object of its row has it. */
export function revisionOf(object: JsonObject, rows: readonly TableRow[]): string {
  return (
    textAt(object, 'metadata', 'resourceVersion') ||
    textAt(rows[0]?.object, 'metadata', 'resourceVersion')
  );
}
