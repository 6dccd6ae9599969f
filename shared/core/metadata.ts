import { at, type JsonObject } from './json.ts';

/** A text of an object's metadata; `''` where there is none. */
export function metadataText(object: JsonObject, field: string): string {
  const value = at(object, 'metadata', field);
  return typeof value === 'string' ? value : '';
}
