import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { conditionType } from './conditions.ts';

/** The field of a list of conditions. */
const CONDITIONS = 'conditions';

type Entry = readonly [path: string, value: JsonValue];

/** The type of the condition at a path, or undefined if the path leads to something else. */
export function typeAtPath(path: string): string | undefined {
  return path.startsWith(`${CONDITIONS}[`) ? path.slice(CONDITIONS.length + 1, -1) : undefined;
}

function isConditionList(value: JsonValue): value is readonly JsonValue[] {
  return (
    isArray(value) && value.length > 0 && value.every((entry) => conditionType(entry) !== undefined)
  );
}

/** The entries of a list of conditions. Of several entries of one type, the first counts, as in the rules. */
function conditionEntries(path: string, list: readonly JsonValue[]): readonly Entry[] {
  return list
    .map((entry): Entry => [`${path}[${conditionType(entry)}]`, entry])
    .filter(([own], index, all) => all.findIndex(([other]) => other === own) === index);
}

function deepEntries(path: string, key: string, value: JsonValue): readonly Entry[] {
  if (key === CONDITIONS && isConditionList(value)) return conditionEntries(path, value);
  if (isArray(value) && value.length > 0)
    return value.flatMap((element, index) => deepEntries(`${path}[${index}]`, '', element));
  if (isObject(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, inner]) =>
      deepEntries(`${path}.${name}`, name, inner),
    );
  return [[path, value]];
}

function flatEntries(key: string, value: JsonValue): readonly Entry[] {
  if (key === CONDITIONS && isConditionList(value)) return conditionEntries(key, value);
  return [[key, value]];
}

/**
 * The fields of a status, by path: the name of the field, or `conditions[<type>]` for an entry of the conditions.
 *
 * @param isDeep whether the members of maps and the elements of lists are fields of their own: `endpoint.port`,
 *   `zones[0]`
 */
export function statusPaths(status: JsonObject, isDeep: boolean): ReadonlyMap<string, JsonValue> {
  return new Map(
    Object.entries(status).flatMap(([key, value]) =>
      isDeep ? deepEntries(key, key, value) : flatEntries(key, value),
    ),
  );
}

/** At most this many fields that WECs report are looked at: the first ones by name. */
const MAX_REPORTED = 1_000;

/** The paths of the fields that a WEC reports, sorted. null and empty lists count as absent. */
export function reportedPaths(status: JsonObject): readonly string[] {
  const isEmpty = (value: JsonValue): boolean =>
    value === null || (isArray(value) && value.length === 0);
  const paths = [...statusPaths(status, false)].filter(([, value]) => !isEmpty(value));
  return mergedPaths(
    paths.map(([path]) => path),
    [],
  );
}

/**
 * The paths of two lists, sorted, each once. A list of conditions as a whole is left out if there are paths of its
 * entries.
 */
export function allPaths(a: readonly string[], b: readonly string[]): readonly string[] {
  const paths = new Set([...a, ...b]);
  if ([...paths].some((path) => typeAtPath(path) !== undefined)) paths.delete(CONDITIONS);
  return [...paths].sort();
}

/** The paths that the WECs of two parts report. */
export function mergedPaths(a: readonly string[], b: readonly string[]): readonly string[] {
  return allPaths(a, b).slice(0, MAX_REPORTED);
}
