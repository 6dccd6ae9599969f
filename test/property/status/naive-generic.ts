import {
  Float,
  isArray,
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { ABNORMAL_TYPES } from '#shared/core/status/condition-polarity.ts';
import { notReported } from '#shared/core/status/messages.ts';

/** A value of one WEC; undefined where it has none. */
type Maybe = JsonValue | undefined;
type Reported = Extract<PerWecRow['row'], object>;

function size(value: JsonValue): number {
  // Small enough in these tests for a double to be exact.
  return Number(value instanceof Float ? value.value : value);
}

function lowest(numbers: readonly JsonValue[]): Maybe {
  return numbers.toSorted(
    (a, b) => size(a) - size(b) || (stringifyJson(a) < stringifyJson(b) ? -1 : 1),
  )[0];
}

function timeOf(entry: JsonObject): string {
  const time = entry['lastTransitionTime'];
  return typeof time === 'string' ? time : '';
}

function instant(time: string): number {
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? 0 : parsed;
}

/** Newest first; of one instant, the greater text. */
function newerFirst(a: string, b: string): number {
  if (a === b) return 0;
  return instant(b) - instant(a) || (a > b ? -1 : 1);
}

const BADNESS = ['True', 'Unknown', 'False'];

function badness(entry: JsonObject): number {
  return Math.max(BADNESS.indexOf(String(entry['status'])), 0);
}

/** The first of these that any entry says; else Unknown. */
function firstOf(entries: readonly JsonObject[], ...statuses: readonly string[]): string {
  const said = entries.map((entry) => entry['status']);
  return statuses.find((status) => said.includes(status)) ?? 'Unknown';
}

function truthOf(entries: readonly JsonObject[], rows: number, isAbnormal: boolean): string {
  if (isAbnormal) return firstOf(entries, 'True', 'False');
  const allTrue = entries.length === rows && entries.every((entry) => entry['status'] === 'True');
  return allTrue ? 'True' : firstOf(entries, 'False');
}

function latest(entries: readonly JsonObject[], field: string): JsonObject {
  const times = entries.map((entry) => entry[field]).filter((time) => typeof time === 'string');
  const [time = ''] = times.toSorted(newerFirst);
  return time === '' ? {} : { [field]: time };
}

/** A list of conditions, and the WEC that has it. */
export interface WecConditions {
  readonly wec: string;
  readonly list: readonly JsonObject[];
}

/** Up to ten names, then how many more. */
function someOf(names: readonly string[]): string {
  const sorted = names.toSorted((a, b) => (a < b ? -1 : 1));
  return sorted.length > 10
    ? `${sorted.slice(0, 10).join(', ')}, and ${sorted.length - 10} more`
    : sorted.join(', ');
}

/** What stands instead of a reason for True where WECs without the entry make it Unknown, but of types whose True is bad. */
function unreported(
  first: JsonObject,
  { status, without, rows }: { status: string; without: readonly string[]; rows: number },
): JsonObject {
  if (status !== 'Unknown' || first['status'] !== 'True' || without.length === 0) return {};
  if (ABNORMAL_TYPES.has(String(first['type']))) return {};
  return {
    reason: 'NotReportedByAllWECs',
    message: notReported(without.length, rows, someOf(without)),
  };
}

/** An API server rejects a time that is none. */
function withValidTime({ lastTransitionTime, ...entry }: JsonObject): JsonObject {
  const isValid = !Number.isNaN(Date.parse(String(lastTransitionTime)));
  return isValid ? { ...entry, lastTransitionTime: lastTransitionTime as JsonValue } : entry;
}

function condition(
  reported: readonly JsonObject[],
  without: readonly string[],
  isAbnormal: boolean,
): JsonObject {
  const entries = reported.map(withValidTime);
  const rows = entries.length + without.length;
  const tells = (entry: JsonObject): number => Number(isAbnormal && entry['status'] === 'True');
  const [first = {}] = entries.toSorted(
    (a, b) =>
      tells(b) - tells(a) ||
      newerFirst(timeOf(a), timeOf(b)) ||
      badness(b) - badness(a) ||
      (stringifyJson(a) < stringifyJson(b) ? -1 : 1),
  );
  const generations = entries.flatMap(({ observedGeneration: one }) =>
    typeof one === 'number' ? [one] : [],
  );
  const status = truthOf(entries, rows, isAbnormal);
  return {
    ...first,
    ...(isAbnormal ? {} : unreported(first, { status, without, rows })),
    status,
    ...latest(entries, 'lastTransitionTime'),
    ...latest(entries, 'lastUpdateTime'),
    ...(generations.length === 0 ? {} : { observedGeneration: Math.min(...generations) }),
  };
}

/**
 * What lists of conditions say together, type by type, by the proposal's three-valued logic.
 *
 * @param lists one for each WEC that qualifies
 * @param abnormal types whose True is the bad news
 */
export function naiveConditions(
  lists: readonly WecConditions[],
  abnormal: ReadonlySet<string>,
): readonly JsonObject[] {
  const all = lists.flatMap(({ list }) => list.map((entry) => String(entry['type'])));
  return [...new Set(all)].sort().map((type) => {
    const firsts = lists.map(({ wec, list }) => ({
      wec,
      entry: list.find((entry) => entry['type'] === type),
    }));
    const entries = firsts.map(({ entry }) => entry).filter((entry) => entry !== undefined);
    const without = firsts.flatMap(({ wec, entry }) => (entry === undefined ? [wec] : []));
    return condition(entries, without, abnormal.has(type));
  });
}

function isEntry(value: JsonValue): value is JsonObject {
  return isObject(value) && typeof value['type'] === 'string';
}

function isConditions(key: string, value: JsonValue): value is readonly JsonObject[] {
  return key === 'conditions' && isArray(value) && value.every(isEntry);
}

function maps(values: readonly JsonObject[], wecs: readonly string[]): Maybe {
  const shapes = values.map((value) =>
    Object.keys(value)
      .filter((key) => value[key] !== null)
      .sort(),
  );
  if (new Set(shapes.map((keys) => keys.join(' '))).size !== 1) return undefined;
  const keys = shapes[0] ?? [];
  const members = keys.flatMap((key): [string, JsonValue][] => {
    const value = whole(
      key,
      values.map((map) => map[key]),
      wecs,
    );
    return value === undefined ? [] : [[key, value]];
  });
  return keys.length > 0 && members.length === 0 ? undefined : Object.fromEntries(members);
}

function lists(values: readonly (readonly JsonValue[])[], wecs: readonly string[]): Maybe {
  const [first = []] = values;
  if (values.some((value) => value.length !== first.length)) return undefined;
  const elements = first.map((_element, index) =>
    whole(
      '',
      values.map((list) => list[index]),
      wecs,
    ),
  );
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

/** What values of all WECs have in common, each WEC having one. */
function whole(key: string, values: readonly Maybe[], wecs: readonly string[]): Maybe {
  const present = values.filter((value) => value !== undefined && value !== null);
  if (present.length < values.length) return undefined;
  if (present.every((value) => isNumber(value))) return lowest(present);
  if (present.every((value) => typeof value === 'boolean')) return !present.includes(false);
  if (present.every((value) => typeof value === 'string'))
    return new Set(present).size === 1 ? present[0] : undefined;
  if (present.every((value) => isConditions(key, value)))
    return naiveConditions(
      wecs.map((wec, index) => ({ wec, list: present[index] as readonly JsonObject[] })),
      ABNORMAL_TYPES,
    );
  if (present.some((value) => isConditions(key, value))) return undefined;
  if (present.every((value) => isArray(value))) return lists(present, wecs);
  return present.every((value) => isObject(value)) ? maps(present, wecs) : undefined;
}

/** What stands for a field where a WEC does not have it. */
function zeroOf(example: Maybe, key: string): Maybe {
  if (isNumber(example)) return 0;
  if (typeof example === 'boolean') return false;
  return example !== undefined && isConditions(key, example) ? [] : undefined;
}

/**
 * The generic rule, field by field over all rows at once: slow, and without parts. For a WDS object without a generation,
 * to whose numbers those of the WECs could be translated.
 */
export function naiveGeneric(rows: readonly PerWecRow[]): JsonObject | undefined {
  const statuses = rows.map(({ row }): Reported['status'] => row?.status);
  const reporters = statuses.filter((status) => isObject(status));
  if (reporters.length === 0) return undefined;
  const keys = new Set(reporters.flatMap((status) => Object.keys(status)));
  const fields = [...keys].flatMap((key): [string, JsonValue][] => {
    const values = statuses.map((status) =>
      isObject(status) ? (status[key] ?? undefined) : undefined,
    );
    const example = values.find((value) => value !== undefined);
    const value = whole(
      key,
      values.map((one) => one ?? zeroOf(example, key)),
      rows.map(({ wec }) => wec),
    );
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(fields);
}
