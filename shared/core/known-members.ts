import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { misspeltField, noObjectWith, unknownField } from './field-messages.ts';
import { nearestName } from './nearest-name.ts';

/** At most this much of a name is shown. */
const MAX_SHOWN = 60;

/** The members that every object has, besides the spec. */
const OBJECT_MEMBERS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'spec',
  'status',
]);

function problemOf(name: string, allowed: ReadonlySet<string>): string {
  const near = nearestName(name, allowed);
  return near === undefined ? unknownField([...allowed].join(', ')) : misspeltField(near);
}

/** An unknown member: its path, and the remedy. */
interface UnknownField {
  readonly path: string;
  readonly problem: string;
}

/**
 * The members of an object that are not known, sorted, each with the name that was probably meant.
 *
 * @param path the path of the object; `''` for the whole object
 */
export function unknownFields(
  value: JsonObject,
  path: string,
  allowed: ReadonlySet<string>,
): readonly UnknownField[] {
  const prefix = path === '' ? '' : `${path}.`;
  return Object.keys(value)
    .filter((key) => !allowed.has(key))
    .sort()
    .map((key) => {
      const shown = key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key;
      return { path: `${prefix}${shown}`, problem: problemOf(key, allowed) };
    });
}

/** {@link unknownFields} as texts. */
export function unknownMembers(
  value: JsonObject,
  path: string,
  allowed: ReadonlySet<string>,
): readonly string[] {
  return unknownFields(value, path, allowed).map((field) => `${field.path}: ${field.problem}`);
}

/** The path of an object, and its known members. */
interface AllowedMembers {
  readonly path: string;
  readonly members: ReadonlySet<string>;
}

/**
 * The members of an object that may be absent or null. Any other value, and unknown members, are reported in `errors`.
 */
export function readMembers(
  value: JsonValue | undefined,
  { path, members }: AllowedMembers,
  errors: string[],
): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    errors.push(`${path}: ${noObjectWith([...members].join(', '))}`);
    return {};
  }
  errors.push(...unknownMembers(value, path, members));
  return value;
}

/** The spec of an API object, which may be absent. Unknown members in it or beside it are reported in `errors`. */
export function readSpec(
  object: JsonObject,
  members: ReadonlySet<string>,
  errors: string[],
): JsonObject {
  errors.push(...unknownMembers(object, '', OBJECT_MEMBERS));
  return readMembers(object['spec'], { path: 'spec', members }, errors);
}
