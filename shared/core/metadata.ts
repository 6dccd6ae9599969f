import { at, type JsonObject } from './json.ts';

/** The API group of an apiVersion; `''` is the core group. */
export function apiGroup(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
}

/** A text of an object's metadata; `''` where there is none. */
export function metadataText(object: JsonObject, field: string): string {
  const value = at(object, 'metadata', field);
  return typeof value === 'string' ? value : '';
}
