import { nearestName } from '#shared/core/nearest-name.ts';
import { noField } from './messages.ts';
import { DYN, listOf, mapOf, type ObjectType, type StaticType } from './static-type.ts';

/** The schema of the kind that `obj` is of. */
export interface KindSchema {
  /** The name of the kind in messages, such as `Deployment`. */
  readonly kind: string;
  readonly obj: ObjectType;
  /** What the WECs return for the kind. Absent if this is not known. */
  readonly returned?: ObjectType;
}

/** The type of a field, or the error of reading it: `has no field spec.replica`. */
export type FieldLookup =
  | { readonly type: StaticType; readonly problem?: undefined }
  | { readonly type?: undefined; readonly problem: string };

/**
 * Fields that an object in a WDS has but `obj` does not, with the remedy. Either Starfold writes them, or the API
 * server sets them whenever Starfold writes (docs/architecture.md, section 9; KubeStellar reference, section 5).
 */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([
  ['status', 'use returned.status'],
  ['metadata.managedFields', 'they change with every write of a status'],
  ['metadata.resourceVersion', 'it changes with every write of a status; use metadata.generation'],
]);

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** The longest name that is shown in full, in UTF-16 units. */
const MAX_SHOWN = 100;
/** A shorter name may begin too many others. */
const MIN_ABBREVIATION = 3;
/** At most this many names of an object are compared with a wrong name. */
const MAX_COMPARED = 500;

function pathTo(object: ObjectType, name: string): string {
  const shown = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}…` : name;
  if (!PLAIN_NAME.test(name)) return `${object.path}[${JSON.stringify(shown)}]`;
  return object.path === '' ? shown : `${object.path}.${shown}`;
}

/** A type with a path. The objects in it know their paths. */
function located(type: StaticType, path: string): StaticType {
  if (type.kind === 'object') return { ...type, path };
  if (type.kind === 'list') return listOf(located(type.element, `${path}[]`));
  return type.kind === 'map' ? mapOf(type.key, located(type.value, `${path}[]`)) : type;
}

/** The name that a name abbreviates, such as `meta` for `metadata`. `undefined` if there is none, or several. */
function onlyLonger(name: string, names: readonly string[]): string | undefined {
  const longer = name.length < MIN_ABBREVIATION ? [] : names.filter((one) => one.startsWith(name));
  return longer.length === 1 ? longer[0] : undefined;
}

/** The type of a field of an object. If the field cannot exist, the error and the most similar existing name. */
export function fieldOf(object: ObjectType, name: string): FieldLookup {
  const path = pathTo(object, name);
  const remedy = LEFT_OUT.get(path);
  if (remedy !== undefined) return { problem: `has no ${path} in expressions: ${remedy}` };
  const type = object.fields.get(name);
  if (type !== undefined) return { type: located(type, path) };
  if (object.open) return { type: DYN };
  const names = [...object.fields.keys()].slice(0, MAX_COMPARED);
  const usable = names.filter((other) => !LEFT_OUT.has(pathTo(object, other)));
  const near = nearestName(name, usable) ?? onlyLonger(name, usable);
  return { problem: near === undefined ? noField(path) : noField(path, pathTo(object, near)) };
}
