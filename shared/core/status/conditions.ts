import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';
import { compareTimes, laterTime } from './time-order.ts';

/** What one WEC says in one condition. */
export interface ConditionReport {
  /** The entry as it stands in the WEC, with generations translated. */
  readonly entry: JsonObject;
  /**
   * Whether its reason goes before the reasons of newer entries (K4: it decides the verdict on the object). Where some
   * decide more than others: a number, the greater goes first; true is 1.
   */
  readonly decisive: boolean | number;
}

/** The part of one type of condition; plain JSON. */
type ConditionPart = {
  /** How many WECs say True, False, Unknown; one that does not have the entry is in none. */
  readonly true: number;
  readonly false: number;
  readonly unknown: number;
  /** How decisive the entry is; 0 where it is not. */
  readonly decisive: number;
  /** The entry that gives reason and message. */
  readonly entry: JsonObject;
  /** The latest times of all entries; `''` where none has one. */
  readonly lastTransitionTime: string;
  readonly lastUpdateTime: string;
  /** The lowest (translated) generation of all entries; null where none has one. */
  readonly observedGeneration: number | null;
};

/** The part of a list of conditions, by type; plain JSON. */
export type ConditionsPart = JsonRecord<ConditionPart>;

/** The type of an entry; undefined for what is no entry of a list of conditions. */
export function conditionType(entry: JsonValue): string | undefined {
  const type = member(entry, 'type');
  return typeof type === 'string' && type !== '' ? type : undefined;
}

function text(entry: JsonObject, key: string): string {
  const value = entry[key];
  return typeof value === 'string' ? value : '';
}

function partOf({ entry, decisive }: ConditionReport): ConditionPart {
  const status = text(entry, 'status');
  const generation = entry['observedGeneration'];
  return {
    true: Number(status === 'True'),
    false: Number(status === 'False'),
    unknown: Number(status !== 'True' && status !== 'False'),
    decisive: Number(decisive),
    entry,
    lastTransitionTime: text(entry, 'lastTransitionTime'),
    lastUpdateTime: text(entry, 'lastUpdateTime'),
    observedGeneration: typeof generation === 'number' ? generation : null,
  };
}

/**
 * The part of one WEC's list of conditions. Of several entries of one type the first counts; what is no entry is passed
 * over.
 */
export function liftConditions(
  list: JsonValue | undefined,
  report: (type: string, entry: JsonObject) => ConditionReport,
): ConditionsPart {
  const parts = new Map<string, ConditionPart>();
  for (const entry of isArray(list) ? list : []) {
    const type = conditionType(entry);
    if (type !== undefined && isObject(entry) && !parts.has(type))
      parts.set(type, partOf(report(type, entry)));
  }
  return Object.fromEntries(parts);
}

const STATUS_RANK: ReadonlyMap<string, number> = new Map([
  ['False', 2],
  ['True', 0],
]);

function statusRank(entry: JsonObject): number {
  return STATUS_RANK.get(text(entry, 'status')) ?? 1;
}

/** Whether two entries obviously say the same, as those of WECs in one state do. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Whether `a` gives the reason: the newer, then the worse status, then by its text. */
function isNewer(a: JsonObject, b: JsonObject): boolean {
  const age = compareTimes(text(a, 'lastTransitionTime'), text(b, 'lastTransitionTime'));
  if (age !== 0) return age > 0;
  const rank = statusRank(a) - statusRank(b);
  if (rank !== 0) return rank > 0;
  return !isSame(a, b) && stringifyJson(a) < stringifyJson(b);
}

/** The one of two entries of one type that gives the reason; null where there is none. */
export function newerEntry(a: JsonObject | null, b: JsonObject | null): JsonObject | null {
  if (a === null || b === null) return a ?? b;
  return isNewer(a, b) ? a : b;
}

function goesFirst(a: ConditionPart, b: ConditionPart): boolean {
  return a.decisive === b.decisive ? isNewer(a.entry, b.entry) : a.decisive > b.decisive;
}

function lower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function mergeCondition(a: ConditionPart, b: ConditionPart): ConditionPart {
  const first = goesFirst(a, b) ? a : b;
  return {
    true: a.true + b.true,
    false: a.false + b.false,
    unknown: a.unknown + b.unknown,
    decisive: first.decisive,
    entry: first.entry,
    lastTransitionTime: laterTime(a.lastTransitionTime, b.lastTransitionTime),
    lastUpdateTime: laterTime(a.lastUpdateTime, b.lastUpdateTime),
    observedGeneration: lower(a.observedGeneration, b.observedGeneration),
  };
}

/** The part of both sides together. */
export function mergeConditions(a: ConditionsPart, b: ConditionsPart): ConditionsPart {
  return mergeRecords(a, b, mergeCondition);
}

function truth(part: ConditionPart, rows: number): string {
  if (part.false > 0) return 'False';
  return part.true === rows ? 'True' : 'Unknown';
}

function failureTruth(part: ConditionPart): string {
  if (part.true > 0) return 'True';
  return part.false > 0 ? 'False' : 'Unknown';
}

function present(times: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(times).filter(([, time]) => time !== ''));
}

const NO_FAILURES: ReadonlySet<string> = new Set();

/**
 * The aggregated list, sorted by type, so that the same conditions always give the same bytes.
 *
 * Truth (Multi-WEC Aggregated Status, "Condition Aggregation"): any False is False, all True is True, else Unknown; a WEC
 * without the entry counts as Unknown (K3). Of a failure type, whose True is the bad news, any True is True, and a WEC
 * without the entry does not count. The time is the newest; everything else comes from the newest entry, the newest
 * decisive one where there is one (K4). Entries of the same time: the worse status, then the text decides.
 *
 * @param rows how many WECs qualify, with those that have returned nothing
 * @param failureTypes the types of condition that say True when something is wrong
 */
export function finishConditions(
  part: ConditionsPart,
  rows: number,
  failureTypes: ReadonlySet<string> = NO_FAILURES,
): readonly JsonObject[] {
  const types = Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
  return types.map(([type, condition]) => {
    const { entry, lastTransitionTime, lastUpdateTime, observedGeneration } = condition;
    return {
      ...entry,
      ...present({ lastTransitionTime, lastUpdateTime }),
      ...(observedGeneration === null ? {} : { observedGeneration }),
      status: failureTypes.has(type) ? failureTruth(condition) : truth(condition, rows),
    };
  });
}
