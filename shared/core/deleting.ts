import { at, type JsonObject } from './json.ts';

/** Whether an object is being deleted: an API server has set its `deletionTimestamp`. */
export function isDeleting(object: JsonObject): boolean {
  const timestamp = at(object, 'metadata', 'deletionTimestamp');
  return typeof timestamp === 'string' && timestamp !== '';
}
