import { at, isArray, type JsonObject, member } from './json.ts';

/**
 * Whether the kind has no status subresource, so that a status is content like any other: each write of it is a new
 * `metadata.generation`, which then counts writes and not specs. An owner of `.status` that did not come through the
 * subresource tells (Kubernetes, Server-Side Apply, "Managers": subresources have entries of their own).
 */
export function hasStatusAsContent(object: JsonObject): boolean {
  const entries = at(object, 'metadata', 'managedFields');
  if (!isArray(entries)) return false;
  return entries.some(
    (entry) =>
      at(entry, 'fieldsV1', 'f:status') !== undefined &&
      (member(entry, 'subresource') ?? '') === '',
  );
}
