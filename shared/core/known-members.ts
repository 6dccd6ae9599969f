import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { nearestName } from './nearest-name.ts';

/** So much of a name is shown. */
const MAX_SHOWN = 60;

/** What every object has, besides the spec. */
const OBJECT_MEMBERS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'spec',
  'status',
]);

function remedy(name: string, known: ReadonlySet<string>): string {
  const near = nearestName(name, known);
  return near === undefined ? `use ${[...known].join(', ')}` : `did you mean ${near}?`;
}

/** A member that nobody knows: its path, and what to do about it. */
interface UnknownField {
  readonly path: string;
  readonly problem: string;
}

/**
 * The members of an object that are not among the known ones, sorted, each with what was probably meant.
 *
 * @param path where the object stands; `''` for the whole
 */
export function unknownFields(
  value: JsonObject,
  path: string,
  known: ReadonlySet<string>,
): readonly UnknownField[] {
  const prefix = path === '' ? '' : `${path}.`;
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .sort()
    .map((key) => {
      const shown = key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key;
      return { path: `${prefix}${shown}`, problem: `unknown field; ${remedy(key, known)}` };
    });
}

/** As {@link unknownFields}, in words. */
export function unknownMembers(
  value: JsonObject,
  path: string,
  known: ReadonlySet<string>,
): readonly string[] {
  return unknownFields(value, path, known).map((field) => `${field.path}: ${field.problem}`);
}

/** Where an object stands, and what it may have. */
interface KnownObject {
  readonly path: string;
  readonly members: ReadonlySet<string>;
}

/** The members of an object that may be absent or null; what else it is, or has, is told in `errors`. */
export function readMembers(
  value: JsonValue | undefined,
  { path, members }: KnownObject,
  errors: string[],
): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    errors.push(`${path}: must be an object with ${[...members].join(', ')}`);
    return {};
  }
  errors.push(...unknownMembers(value, path, members));
  return value;
}

/** The spec of an API object, which may be absent; what is unknown in it or beside it is told in `errors`. */
export function readSpec(
  object: JsonObject,
  members: ReadonlySet<string>,
  errors: string[],
): JsonObject {
  errors.push(...unknownMembers(object, '', OBJECT_MEMBERS));
  return readMembers(object['spec'], { path: 'spec', members }, errors);
}
