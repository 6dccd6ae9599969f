import { type JsonObject, textAt } from './json.ts';

/** The API group of an apiVersion; `''` is the core group. */
export function apiGroup(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
}

/** A text of an object's metadata; `''` where there is none. */
export function metadataText(object: JsonObject, field: string): string {
  return textAt(object, 'metadata', field);
}
