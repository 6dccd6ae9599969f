import { firstNames, namesText } from '#shared/core/fold/named-wecs.ts';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { generationOf, lowerGeneration } from '#shared/core/observed-generation.ts';
import { ABNORMAL_TYPES } from './condition-polarity.ts';
import {
  type AggregatedCondition,
  type Deciders,
  type DecidersOf,
  decidersOf,
  selecting,
} from './deciders.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';
import { notReported } from './messages.ts';
import { compareTimes, isTime, laterTime } from './time-order.ts';

/** One condition as one WEC reports it. */
export interface ConditionReport {
  /** The entry as it is in the WEC, with translated generations. */
  readonly entry: JsonObject;
  /**
   * Whether its reason takes precedence over the reasons of newer entries (K4: it decides the verdict on the object).
   * If some entries are more decisive than others, this is a number, and the greatest takes precedence. true counts as
   * 1.
   */
  readonly decisive: boolean | number;
}

/** The part of one type of condition; plain JSON. */
type ConditionPart = {
  /** The first WECs without the entry, by name. */
  readonly missing: readonly string[];
  /** How many WECs report True, False or Unknown. A WEC without the entry is in none of them. */
  readonly true: number;
  readonly false: number;
  readonly unknown: number;
  /** How decisive the entry is. 0 if it is not decisive. */
  readonly decisive: number;
  /** The entry that provides reason and message. */
  readonly entry: JsonObject;
  /** The latest times of all entries. `''` if no entry has one. */
  readonly lastTransitionTime: string;
  readonly lastUpdateTime: string;
  /** The lowest (translated) generation of all entries, a number or a text. null if no entry has one. */
  readonly observedGeneration: JsonValue;
};

type ConditionParts = JsonRecord<ConditionPart>;

/** The part of a list of conditions of some WECs. Plain JSON. */
export type ConditionsPart = {
  /** The first of these WECs, by name. */
  readonly wecs: readonly string[];
  /** The parts of the conditions that any of these WECs has, by type. */
  readonly types: ConditionParts;
};

/** The part of no WECs. */
export const NO_CONDITIONS: ConditionsPart = { wecs: [], types: {} };

/** The type of an entry, or undefined if the value is not an entry of a list of conditions. */
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
  const { observedGeneration = null } = entry;
  return {
    missing: [],
    true: Number(status === 'True'),
    false: Number(status === 'False'),
    unknown: Number(status !== 'True' && status !== 'False'),
    decisive: Number(decisive),
    entry,
    lastTransitionTime: text(entry, 'lastTransitionTime'),
    lastUpdateTime: text(entry, 'lastUpdateTime'),
    observedGeneration: generationOf(observedGeneration) === undefined ? null : observedGeneration,
  };
}

/** Members that an API server accepts only as RFC 3339 times, and as texts. null stands for none. */
const TIMES = [
  'lastTransitionTime',
  'lastUpdateTime',
  'lastHeartbeatTime',
  'lastProbeTime',
] as const;
const TEXTS = ['reason', 'message'] as const;

function isUsable(value: JsonValue | undefined, isValid: (text: string) => boolean): boolean {
  return value === undefined || value === null || (typeof value === 'string' && isValid(value));
}

/**
 * An entry without what an API server rejects. Otherwise, one WEC that reports such a value would keep the status of all others
 * from being written.
 */
function acceptable(entry: JsonObject): JsonObject {
  const rejected = [
    ...TIMES.filter((key) => !isUsable(entry[key], isTime)),
    ...TEXTS.filter((key) => !isUsable(entry[key], () => true)),
  ];
  if (rejected.length === 0) return entry;
  const dropped = new Set<string>(rejected);
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !dropped.has(key)));
}

/**
 * The part of one WEC's list of conditions. Of several entries of one type, the first counts. Invalid entries are
 * ignored, and members of an entry that an API server rejects.
 */
export function liftConditions(
  wec: string,
  list: JsonValue | undefined,
  report: (type: string, entry: JsonObject) => ConditionReport,
): ConditionsPart {
  const parts = new Map<string, ConditionPart>();
  for (const entry of isArray(list) ? list : []) {
    const type = conditionType(entry);
    if (type !== undefined && isObject(entry) && !parts.has(type))
      parts.set(type, partOf(report(type, acceptable(entry))));
  }
  return { wecs: [wec], types: Object.fromEntries(parts) };
}

const STATUS_RANK: ReadonlyMap<string, number> = new Map([
  ['False', 2],
  ['True', 0],
]);

function statusRank(entry: JsonObject): number {
  return STATUS_RANK.get(text(entry, 'status')) ?? 1;
}

/** A quick check whether two entries are the same, as entries of WECs in the same state are. */
function isSame(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Whether `a` provides the reason: the newer entry does, then the one with the worse status, then the text decides. */
function isNewer(a: JsonObject, b: JsonObject): boolean {
  const age = compareTimes(text(a, 'lastTransitionTime'), text(b, 'lastTransitionTime'));
  if (age !== 0) return age > 0;
  const rank = statusRank(a) - statusRank(b);
  if (rank !== 0) return rank > 0;
  return !isSame(a, b) && stringifyJson(a) < stringifyJson(b);
}

/** The one of two entries of one type that provides the reason. null if there is none. */
export function newerEntry(a: JsonObject | null, b: JsonObject | null): JsonObject | null {
  if (a === null || b === null) return a ?? b;
  return isNewer(a, b) ? a : b;
}

function goesFirst(a: ConditionPart, b: ConditionPart): boolean {
  return a.decisive === b.decisive ? isNewer(a.entry, b.entry) : a.decisive > b.decisive;
}

function lower(a: JsonValue, b: JsonValue): JsonValue {
  return a === null || b === null ? (a ?? b) : lowerGeneration(a, b);
}

function mergeCondition(a: ConditionPart, b: ConditionPart): ConditionPart {
  const first = goesFirst(a, b) ? a : b;
  return {
    missing: firstNames(a.missing, b.missing),
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

/** The parts of some WECs, in which the WECs of another part are missing from the types that they do not have. */
function withMissing(types: ConditionParts, other: ConditionsPart): ConditionParts {
  if (Object.keys(types).every((type) => Object.hasOwn(other.types, type))) return types;
  const completed = Object.entries(types).map(([type, part]): [string, ConditionPart] => [
    type,
    Object.hasOwn(other.types, type)
      ? part
      : { ...part, missing: firstNames(part.missing, other.wecs) },
  ]);
  return Object.fromEntries(completed);
}

/** The part of both sides together. They are parts of different WECs. */
export function mergeConditions(a: ConditionsPart, b: ConditionsPart): ConditionsPart {
  return {
    wecs: firstNames(a.wecs, b.wecs),
    types: mergeRecords(withMissing(a.types, b), withMissing(b.types, a), mergeCondition),
  };
}

/** What WECs decide of a condition, independently of each other. */
const CONDITION_ASPECTS: readonly (readonly [
  name: string,
  read: (part: ConditionPart) => JsonValue,
])[] = [
  ['entry', ({ decisive, entry }) => [decisive, entry]],
  ['lastTransitionTime', ({ lastTransitionTime }) => lastTransitionTime],
  ['lastUpdateTime', ({ lastUpdateTime }) => lastUpdateTime],
  ['observedGeneration', ({ observedGeneration }) => observedGeneration],
  ['True', (part) => part.true > 0],
  ['False', (part) => part.false > 0],
  ['Unknown', (part) => part.unknown > 0],
];

function aspectOf(aspect: string, type: string, list: string): string {
  return `${list} ${aspect} ${type}`;
}

/**
 * What WECs decide of a list of conditions, for `selecting`.
 *
 * @param list distinguishes the lists of one status
 */
export function conditionAspects({ types }: ConditionsPart, list: string): JsonRecord<JsonValue> {
  const aspects: Record<string, JsonValue> = {};
  // An explanation does this for each row.
  for (const [type, part] of Object.entries(types))
    for (const [name, read] of CONDITION_ASPECTS) aspects[aspectOf(name, type, list)] = read(part);
  return aspects;
}

/** An aggregated condition in one of the lists of a status. */
interface ListedCondition extends AggregatedCondition {
  readonly list: string;
}

/**
 * The WECs that decide an aggregated condition: those of its entry, of its times and generation, and of its status. If no
 * WEC reports the status, the first WEC without the condition decides it.
 *
 * @param by the deciders of {@link conditionAspects}
 */
export function conditionDeciders(
  { types }: ConditionsPart,
  by: Deciders,
  { list, type, status }: ListedCondition,
): readonly string[] {
  const part = Object.hasOwn(types, type) ? types[type] : undefined;
  if (part === undefined) return [];
  const dated = (['lastTransitionTime', 'lastUpdateTime', 'observedGeneration'] as const).filter(
    (name) => part[name] !== '' && part[name] !== null,
  );
  const counts = new Map([
    ['True', part.true],
    ['False', part.false],
    ['Unknown', part.unknown],
  ]);
  const isReported = (counts.get(status) ?? 0) > 0;
  const aspects = ['entry', ...dated, ...(isReported ? [status] : [])];
  const names = decidersOf(
    by,
    aspects.map((aspect) => aspectOf(aspect, type, list)),
  );
  return isReported ? names : [...names, ...part.missing.slice(0, 1)];
}

/**
 * Which WECs decide a part that has some lists of conditions.
 *
 * @param listsOf the lists, always as many and in the same order
 */
export function conditionListsOf<P extends JsonValue>(
  listsOf: (part: P) => readonly ConditionsPart[],
): DecidersOf<P> {
  const aspects = (part: P): JsonRecord<JsonValue> =>
    Object.assign({}, ...listsOf(part).map((list, index) => conditionAspects(list, String(index))));
  return {
    ...selecting(aspects),
    ofCondition: ({ part, by }, condition) =>
      listsOf(part).flatMap((list, index) =>
        conditionDeciders(list, by, { ...condition, list: String(index) }),
      ),
  };
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

/** In longer lists, WECs are not named, because each condition would repeat the names. */
const MAX_NAMING_CONDITIONS = 100;

/**
 * Reason and message of a condition that is Unknown because WECs have not reported it, or `{}` if an entry gives them. A
 * reason of a WEC for which the condition is True would contradict the status. Types whose True is bad keep it: it is what
 * has failed, and most controllers write such a condition only while it is True. A decisive entry keeps its reason,
 * because that reason is the verdict (K4).
 */
function unknownBecause(
  { missing, entry, decisive, ...counts }: ConditionPart,
  rows: number,
  isNaming: boolean,
): JsonObject {
  const lacking = rows - counts.true - counts.unknown;
  if (counts.false > 0 || lacking === 0 || decisive !== 0 || entry['status'] !== 'True') return {};
  const names = isNaming ? namesText(missing, lacking) : '';
  return {
    reason: 'NotReportedByAllWECs',
    message: notReported(lacking, rows, names),
  };
}

/**
 * The aggregated list, sorted by type, so that the same conditions always give the same bytes.
 *
 * Status (Multi-WEC Aggregated Status, "Condition Aggregation"): False if any is False, True if all are True, otherwise
 * Unknown. A WEC without the entry counts as Unknown (K3). For a failure type, whose True is bad, any True is True, and
 * a WEC without the entry does not count. The time is the newest of all. Everything else comes from the newest decisive
 * entry, or from the newest entry if none is decisive (K4). Among entries of the same time, the worse status goes
 * first, then the text decides. If that entry is True and the condition is Unknown because WECs do not have it, reason
 * and message name these WECs.
 *
 * @param rows the number of qualified WECs, including those that have returned nothing
 * @param failureTypes the types of condition that are True if something is wrong
 */
export function finishConditions(
  part: ConditionsPart,
  rows: number,
  failureTypes: ReadonlySet<string> = NO_FAILURES,
): readonly JsonObject[] {
  const types = Object.entries(part.types).sort(([a], [b]) => (a < b ? -1 : 1));
  const isNaming = types.length <= MAX_NAMING_CONDITIONS;
  const isBadWhenTrue = (type: string): boolean =>
    failureTypes.has(type) || ABNORMAL_TYPES.has(type);
  return types.map(([type, condition]) => {
    const { entry, lastTransitionTime, lastUpdateTime, observedGeneration } = condition;
    return {
      ...entry,
      ...(isBadWhenTrue(type) ? {} : unknownBecause(condition, rows, isNaming)),
      ...present({ lastTransitionTime, lastUpdateTime }),
      ...(observedGeneration === null ? {} : { observedGeneration }),
      status: failureTypes.has(type) ? failureTruth(condition) : truth(condition, rows),
    };
  });
}
