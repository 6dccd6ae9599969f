import { VARIABLE_MEMBERS, VARIABLES } from '#shared/core/expression/expression.ts';
import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** A name that may stand in an expression. */
export interface KnownName {
  readonly text: string;
  /** What it is, in a few words: `integer`, `list of objects`. `''` if that is not known. */
  readonly type: string;
}

/** The elements of a list, as a part of a path. */
export const ELEMENTS = '[]';

/** What is known about the objects that are asked about. */
export interface KnownObjects {
  /** The document of OpenAPI that has the schema of the kind, and the name of the schema. */
  readonly schema?: { readonly document: JsonObject; readonly name: string };
  /** Statuses that WECs have reported. */
  readonly seen: readonly JsonValue[];
  /** Labels of WECs. */
  readonly wecLabels: readonly string[];
}

type Schema = JsonObject;

function schemasOf(document: JsonObject): JsonObject {
  const components = document['components'];
  const schemas = isObject(components) ? components['schemas'] : undefined;
  return isObject(schemas) ? schemas : {};
}

const REF = '#/components/schemas/';
const MAX_REFS = 10;

/** The schema that a schema refers to, alone or in `allOf`, as Kubernetes writes it. */
function resolved(
  document: JsonObject,
  schema: JsonValue | undefined,
  left = MAX_REFS,
): Schema | undefined {
  if (!isObject(schema) || left === 0) return undefined;
  const { $ref: ref, allOf } = schema;
  if (typeof ref === 'string')
    return resolved(document, schemasOf(document)[ref.slice(REF.length)], left - 1);
  const only = isArray(allOf) ? allOf[0] : undefined;
  return only === undefined ? schema : resolved(document, only, left - 1);
}

function child(document: JsonObject, schema: Schema, name: string): Schema | undefined {
  const { items, properties, additionalProperties } = schema;
  if (name === ELEMENTS) return resolved(document, items);
  const property = isObject(properties) ? properties[name] : undefined;
  return resolved(document, property ?? additionalProperties);
}

/** The schema of what stands at a path below an object. */
function schemaAt(
  { document, name }: NonNullable<KnownObjects['schema']>,
  path: readonly string[],
): Schema | undefined {
  let schema = resolved(document, schemasOf(document)[name]);
  for (const part of path) {
    if (schema === undefined) return undefined;
    schema = child(document, schema, part);
  }
  return schema;
}

const PLURALS: Readonly<Record<string, string>> = {
  string: 'list of strings',
  integer: 'list of integers',
  object: 'list of objects',
};

function typeOf(document: JsonObject, given: JsonValue): string {
  const schema = resolved(document, given) ?? {};
  const { type, items, format, additionalProperties } = schema;
  if (type === 'array') return PLURALS[typeOf(document, items ?? {})] ?? 'list';
  if (format === 'date-time') return 'time, as text';
  if (additionalProperties !== undefined) return 'map';
  if (typeof type === 'string') return type === 'boolean' ? 'bool' : type;
  return isObject(schema['properties']) ? 'object' : '';
}

function typeOfValue(value: JsonValue): string {
  if (isArray(value)) return PLURALS[typeOfValue(value[0] ?? null)] ?? 'list';
  if (isObject(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return value === null ? '' : Number.isInteger(value) ? 'integer' : 'number';
}

/** What stands at a part of a path in a value. */
function partsAt(value: JsonValue, part: string): readonly JsonValue[] {
  if (part === ELEMENTS) return isArray(value) ? value : [];
  const found = isObject(value) ? member(value, part) : undefined;
  return found === undefined ? [] : [found];
}

function seenAt(values: readonly JsonValue[], path: readonly string[]): readonly JsonValue[] {
  return path.reduce((all, part) => all.flatMap((value) => partsAt(value, part)), values);
}

function named(names: Iterable<string>, type = ''): readonly KnownName[] {
  return [...names].map((text) => ({ text, type }));
}

const TYPES: Readonly<Record<string, string>> = {
  name: 'string',
  labels: 'map',
  annotations: 'map',
  lastReturnedUpdateTimestamp: 'timestamp',
  lastContact: 'timestamp',
  stale: 'bool',
  silent: 'bool',
  generation: 'integer',
};
const NOTES: Readonly<Record<string, string>> = {
  inventory: 'the WEC',
  obj: 'the object in the WDS',
  returned: 'what the WEC reports',
  propagation: 'how current that is',
};
/** The functions that begin an expression (docs/cel.md). */
const FUNCTIONS = [
  'has',
  'size',
  'int',
  'double',
  'string',
  'bool',
  'timestamp',
  'duration',
  'dyn',
];
const OF_RETURNED: readonly KnownName[] = [
  { text: 'status', type: 'object' },
  { text: 'spec', type: 'object' },
  { text: 'metadata', type: 'object' },
];
/** The members of `returned.metadata` (docs/cel.md, "Spec and metadata"). */
const OF_RETURNED_METADATA: readonly KnownName[] = [
  { text: 'uid', type: 'string' },
  { text: 'generation', type: 'integer' },
  { text: 'creationTimestamp', type: 'time, as text' },
];

function variables(): readonly KnownName[] {
  return [
    ...VARIABLES.map((text) => ({ text, type: NOTES[text] ?? '' })),
    ...named(FUNCTIONS, 'function'),
  ];
}

function byText(a: KnownName, b: KnownName): number {
  return a.text < b.text ? -1 : Number(a.text > b.text);
}

function namesSeen(seen: readonly JsonValue[], path: readonly string[]): readonly KnownName[] {
  if (path[0] !== 'status') return [];
  return seenAt(seen, path.slice(1)).flatMap((value) =>
    isObject(value)
      ? Object.entries(value).map(([text, one]) => ({ text, type: typeOfValue(one) }))
      : [],
  );
}

function namesInSchema(
  from: KnownObjects['schema'],
  path: readonly string[],
): readonly KnownName[] {
  const properties = from && schemaAt(from, path)?.['properties'];
  if (from === undefined || !isObject(properties)) return [];
  return Object.entries(properties).map(([text, schema]) => ({
    ...{ text, type: typeOf(from.document, schema) },
  }));
}

/** The members of what is at a path below an object of the kind: from its schema, and from what was seen. */
function membersBelow(
  { schema, seen }: KnownObjects,
  path: readonly string[],
): readonly KnownName[] {
  const all = [...namesSeen(seen, path), ...namesInSchema(schema, path)];
  return [...new Map(all.map((one) => [one.text, one])).values()].sort(byText);
}

function ofVariable(variable: string, known: KnownObjects): readonly KnownName[] {
  const members = VARIABLE_MEMBERS.get(variable);
  if (members !== undefined) return [...members].map((text) => ({ text, type: TYPES[text] ?? '' }));
  if (variable === 'returned') return OF_RETURNED;
  if (variable !== 'obj') return [];
  const all = membersBelow(known, []).filter(({ text }) => text !== 'status');
  return all.length > 0 ? all : named(['metadata', 'spec'], 'object');
}

/** Whether a path goes into the object of the kind: `returned.status`, `obj.spec`. `returned.metadata` has members of its own. */
function isBelowObject(variable: string, first: string): boolean {
  if (variable === 'obj') return first !== 'status';
  return variable === 'returned' && first !== 'metadata';
}

/**
 * The names that may follow a path of an expression, such as `returned.status`. An element of a list is {@link ELEMENTS}.
 *
 * @param path empty: what an expression may begin with
 */
export function namesBehind(path: readonly string[], known: KnownObjects): readonly KnownName[] {
  const [variable, first, ...rest] = path;
  if (variable === undefined) return variables();
  if (first === undefined) return ofVariable(variable, known);
  if (isBelowObject(variable, first)) return membersBelow(known, [first, ...rest]);
  switch (path.join('.')) {
    case 'inventory.labels':
      return named(known.wecLabels, 'label');
    case 'returned.metadata':
      return OF_RETURNED_METADATA;
    default:
      return [];
  }
}

/**
 * The members that the schema of the kind has at a path of an expression, if it has no others. Undefined if it may have others, or
 * is not known.
 */
export function onlyNames(
  [variable = '', first = '', ...rest]: readonly string[],
  { schema }: KnownObjects,
): readonly string[] | undefined {
  const isChecked = first !== 'metadata' && isBelowObject(variable, first);
  const found = isChecked && schema ? schemaAt(schema, [first, ...rest]) : undefined;
  if (found === undefined || found['x-kubernetes-preserve-unknown-fields'] === true)
    return undefined;
  const { properties, additionalProperties } = found;
  const isClosed = isObject(properties) && additionalProperties === undefined;
  return isClosed ? Object.keys(properties) : undefined;
}

/** The path in the index of OpenAPI of the group that a resource is of: the stable version, or the last one. */
export function openApiPath(index: JsonValue, group: string): string | undefined {
  const paths = isObject(index) ? index['paths'] : undefined;
  if (!isObject(paths)) return undefined;
  const prefix = group === '' ? 'api/' : `apis/${group}/`;
  const versions = Object.keys(paths).filter((one) => one.startsWith(prefix));
  const path = versions.find((one) => /\/v\d+$/.test(one)) ?? versions.toSorted().at(-1);
  return path === undefined ? undefined : `/openapi/v3/${path}`;
}

/** The schema of a kind in a document of OpenAPI. */
export function schemaOfKind(
  document: JsonObject,
  { group, kind }: { readonly group: string; readonly kind: string },
): KnownObjects['schema'] {
  for (const [name, schema] of Object.entries(schemasOf(document))) {
    const kinds = isObject(schema) ? schema['x-kubernetes-group-version-kind'] : undefined;
    const isOfKind = (one: JsonValue): boolean =>
      isObject(one) && one['group'] === group && one['kind'] === kind;
    if (isArray(kinds) && kinds.length === 1 && kinds.some(isOfKind)) return { document, name };
  }
  return undefined;
}
