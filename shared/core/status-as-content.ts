import { at, isArray, type JsonObject, member } from './json.ts';

/**
 * Whether the kind has no status subresource, so that a status is ordinary content: each write of it increases
 * `metadata.generation`, which then counts writes instead of specs. This is recognized by an owner of `.status` that
 * did not write through the subresource (Kubernetes, Server-Side Apply, "Managers": subresources have entries of their
 * own).
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
