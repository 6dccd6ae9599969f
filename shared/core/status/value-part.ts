import {
  Float,
  isArray,
  isNumber,
  isObject,
  type JsonValue,
  stringifyJson,
} from '#shared/core/json.ts';
import { withTranslatedGeneration } from '#shared/core/observed-generation.ts';
import { ABNORMAL_TYPES } from './condition-polarity.ts';
import {
  type ConditionsPart,
  conditionType,
  finishConditions,
  liftConditions,
  mergeConditions,
} from './conditions.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';

/**
 * The combined value of some WECs at one place of `.status`, as plain JSON. null means "no common value": strings that
 * differ, or types or shapes that do not match. It stays null regardless of what else is merged.
 */
export type ValuePart =
  | null
  /** Of `observedGeneration` also a text with a number. */
  | readonly ['number', JsonValue]
  | readonly ['boolean', boolean]
  | readonly ['string', string]
  | readonly ['list', readonly ValuePart[]]
  | readonly ['map', JsonRecord<ValuePart>]
  | readonly ['conditions', ConditionsPart];

/** The WEC whose value is lifted. */
export interface ValueSource {
  readonly wec: string;
  /** Translates a generation that the WEC observed to the WDS's numbers. */
  readonly translate: (observed: number) => number;
}

function isConditions(key: string, value: JsonValue): value is readonly JsonValue[] {
  return (
    key === 'conditions' &&
    isArray(value) &&
    value.every((entry) => conditionType(entry) !== undefined)
  );
}

function liftConditionList(
  list: readonly JsonValue[],
  { wec, translate }: ValueSource,
): ConditionsPart {
  return liftConditions(wec, list, (type, entry) => {
    const decisive = ABNORMAL_TYPES.has(type) && entry['status'] === 'True';
    return { entry: withTranslatedGeneration(entry, translate), decisive };
  });
}

/**
 * The part of one WEC's value.
 *
 * @param key the name of the field that contains the value
 */
export function liftValue(key: string, value: JsonValue, source: ValueSource): ValuePart {
  if (isConditions(key, value)) return ['conditions', liftConditionList(value, source)];
  if (isArray(value)) return ['list', value.map((element) => liftValue('', element, source))];
  if (isObject(value)) {
    const members = Object.entries(value).filter(([, inner]) => inner !== null);
    return [
      'map',
      Object.fromEntries(members.map(([name, inner]) => [name, liftValue(name, inner, source)])),
    ];
  }
  if (typeof value === 'boolean') return ['boolean', value];
  if (typeof value === 'string') return ['string', value];
  // -0 has no spelling of its own among integers.
  return isNumber(value) ? ['number', value === 0 ? 0 : value] : null;
}

function magnitude(value: JsonValue): number | bigint {
  const plain = value instanceof Float ? value.value : value;
  return typeof plain === 'bigint' ? plain : Number(plain);
}

/** The lower of two numbers. Of two spellings of one number, always the same. */
function lower(a: JsonValue, b: JsonValue): JsonValue {
  const [left, right] = [magnitude(a), magnitude(b)];
  if (left < right) return a;
  if (right < left) return b;
  return stringifyJson(a) < stringifyJson(b) ? a : b;
}

function sameKeys(a: JsonRecord<ValuePart>, b: JsonRecord<ValuePart>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key));
}

function mergeMaps(a: JsonRecord<ValuePart>, b: JsonRecord<ValuePart>): ValuePart {
  return sameKeys(a, b) ? ['map', mergeRecords(a, b, mergeValues)] : null;
}

function mergeLists(a: readonly ValuePart[], b: readonly ValuePart[]): ValuePart {
  if (a.length !== b.length) return null;
  return ['list', a.map((element, index) => mergeValues(element, b[index] ?? null))];
}

function mergeScalars(a: ValuePart, b: ValuePart): ValuePart {
  if (a?.[0] === 'number' && b?.[0] === 'number') return ['number', lower(a[1], b[1])];
  if (a?.[0] === 'boolean' && b?.[0] === 'boolean') return ['boolean', a[1] && b[1]];
  return a?.[0] === 'string' && b?.[0] === 'string' && a[1] === b[1] ? a : null;
}

function mergeStructures(a: ValuePart, b: ValuePart): ValuePart {
  if (a?.[0] === 'list' && b?.[0] === 'list') return mergeLists(a[1], b[1]);
  if (a?.[0] === 'map' && b?.[0] === 'map') return mergeMaps(a[1], b[1]);
  return a?.[0] === 'conditions' && b?.[0] === 'conditions'
    ? ['conditions', mergeConditions(a[1], b[1])]
    : null;
}

/** The part of both sides together. */
export function mergeValues(a: ValuePart, b: ValuePart): ValuePart {
  return mergeScalars(a, b) ?? mergeStructures(a, b);
}

function finishList(elements: readonly ValuePart[], rows: number): JsonValue | undefined {
  const values: JsonValue[] = [];
  for (const element of elements) {
    const value = finishValue(element, rows);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function finishMap(members: JsonRecord<ValuePart>, rows: number): JsonValue | undefined {
  const names = Object.keys(members);
  const values: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(members)) {
    const value = finishValue(member, rows);
    if (value !== undefined) values.push([name, value]);
  }
  return values.length === 0 && names.length > 0 ? undefined : Object.fromEntries(values);
}

/**
 * The aggregated value, or undefined if there is none. A list has no common value if one of its elements has none. A
 * map has none if none of its members has one.
 *
 * @param rows the number of qualified WECs
 */
export function finishValue(part: ValuePart, rows: number): JsonValue | undefined {
  if (part === null) return undefined;
  switch (part[0]) {
    case 'list':
      return finishList(part[1], rows);
    case 'map':
      return finishMap(part[1], rows);
    case 'conditions':
      return finishConditions(part[1], rows, ABNORMAL_TYPES);
    default:
      return part[1];
  }
}
