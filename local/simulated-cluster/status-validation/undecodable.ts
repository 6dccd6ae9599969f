import { type KindModels, modelNames } from '#shared/adapters/kubernetes/kind-models.ts';
import { isArray, isNumber, isObject, type JsonValue } from '#shared/core/json.ts';
import type { ApiResource } from '#shared/core/schema/built-in-kinds.ts';

const ARRAY = /^Array<(.+)>$/;
const MAP = /^\{ \[key: string\]: (.+); \}$/;
const QUANTITY_FIELDS: ReadonlySet<string> = new Set(['averageValue', 'value']);

function nameOfType(value: JsonValue): string {
  if (isArray(value)) return 'a list';
  if (isNumber(value)) return 'a number';
  if (isObject(value)) return 'an object';
  return typeof value === 'boolean' ? 'a boolean' : 'a string';
}

function isTime(value: JsonValue): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** For each scalar type of the models, the expected type, and whether a value has it. */
const SCALARS: Readonly<Record<string, readonly [string, (value: JsonValue) => boolean]>> = {
  string: ['a string', (value) => typeof value === 'string'],
  boolean: ['a boolean', (value) => typeof value === 'boolean'],
  number: [
    'an integer',
    (value) => typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)),
  ],
  Date: ['a time (RFC 3339)', isTime],
};

/** A value that is checked, and its path. */
interface TypedValue {
  readonly path: string;
  readonly type: string;
  readonly value: JsonValue;
}

function inside(
  { path, type, value }: TypedValue,
  models: KindModels,
): readonly TypedValue[] | string {
  const [, element] = ARRAY.exec(type) ?? [];
  if (element !== undefined)
    return isArray(value)
      ? value.map((entry, index) => ({ path: `${path}[${index}]`, type: element, value: entry }))
      : 'a list';
  const [, member] = MAP.exec(type) ?? [];
  const fields = models[type];
  if (member === undefined && fields === undefined) return [];
  if (!isObject(value)) return 'an object';
  return Object.entries(value).flatMap(([key, entry]): readonly TypedValue[] => {
    // The models define quantities as strings, but an API server accepts numbers too.
    const isQuantity =
      (member === 'string' || (fields?.[key] === 'string' && QUANTITY_FIELDS.has(key))) &&
      isNumber(entry);
    const expected = isQuantity ? undefined : (member ?? fields?.[key]);
    return expected === undefined ? [] : [{ path: `${path}.${key}`, type: expected, value: entry }];
  });
}

function firstFault(at: TypedValue, models: KindModels): string | undefined {
  const { path, type, value } = at;
  if (value === null) return undefined;
  const [needed, isNeeded] = SCALARS[type] ?? [];
  const found = needed === undefined ? inside(at, models) : isNeeded?.(value) ? [] : needed;
  if (typeof found === 'string') return `${path} must be ${found}, not ${nameOfType(value)}`;
  for (const one of found) {
    const fault = firstFault(one, models);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Why an API server cannot decode a `.status` of this kind (400): the first value whose type its field does not accept,
 * by the models of `@kubernetes/client-node`. undefined if it can, or if there is no model of the kind.
 *
 * @param resource the resource of the kind
 */
export function undecodable(
  models: KindModels,
  resource: ApiResource & { readonly kind: string },
  status: JsonValue,
): string | undefined {
  const name = modelNames(resource, resource.kind).find((one) => models[one] !== undefined);
  const type = name === undefined ? undefined : models[name]?.['status'];
  return type === undefined
    ? undefined
    : firstFault({ path: 'status', type, value: status }, models);
}
