import { at, type JsonObject } from './json.ts';

/** Whether an object is on its way out: an API server has given it a `deletionTimestamp`. */
export function isDeleting(object: JsonObject): boolean {
  const timestamp = at(object, 'metadata', 'deletionTimestamp');
  return typeof timestamp === 'string' && timestamp !== '';
}
