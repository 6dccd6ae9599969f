import { countAt } from '#shared/core/health/count-at.ts';
import { ARGO_CD_ORDER, type ArgoCdStatus } from '#shared/core/health/verdict.ts';
import {
  at,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import {
  type ConditionReport,
  type ConditionsPart,
  finishConditions,
  liftConditions,
  mergeConditions,
  newerEntry,
} from './conditions.ts';
import type { RowFacts } from './row-facts.ts';

/** What is known of all rows together. */
export interface Totals {
  readonly workload: WorkloadObject;
  /** How many WECs qualify, with those that have returned nothing. */
  readonly rows: number;
  /** Argo CD's worst verdict on the WECs' own objects. */
  readonly worst: ArgoCdStatus;
}

/**
 * One of the folds that the rule of a kind consists of: lift and merge obey the laws of a `Fold`, over one row or more.
 *
 * @typeParam P the part; plain JSON
 * @typeParam R the result
 */
export interface Component<P extends JsonValue, R> {
  lift(facts: RowFacts): P;
  merge(a: P, b: P): P;
  finish(part: P, totals: Totals): R;
}

type ReadNumber = (facts: RowFacts) => number;

function reader(field: string | ReadNumber): ReadNumber {
  return typeof field === 'string' ? ({ status }) => countAt(status, field) : field;
}

/**
 * The lowest number.
 *
 * @param field a counter of `.status`, absent being 0; or how to read the number
 */
export function minimum(field: string | ReadNumber): Component<number, number> {
  return { lift: reader(field), merge: Math.min, finish: (part) => part };
}

/** The highest number; as {@link minimum}. */
export function maximum(field: string | ReadNumber): Component<number, number> {
  return { lift: reader(field), merge: Math.max, finish: (part) => part };
}

/** How many WECs a predicate holds for. */
export function count(predicate: (facts: RowFacts) => boolean): Component<number, number> {
  return {
    lift: (facts) => Number(predicate(facts)),
    merge: (a, b) => a + b,
    finish: (part) => part,
  };
}

/** What one WEC's status says that stands for all. */
export type Witness = {
  /** Greater goes first, the first difference decides; then the WEC's name, in code-unit order. All of one length. */
  readonly rank: readonly number[];
  readonly wec: string;
  readonly value: JsonObject;
};

function compareRanks(a: readonly number[], b: readonly number[]): number {
  return a.map((left, index) => left - Number(b[index])).find((order) => order !== 0) ?? 0;
}

function witnessBefore(a: Witness, b: Witness): boolean {
  const order = compareRanks(a.rank, b.rank);
  return order === 0 ? a.wec < b.wec : order > 0;
}

/** How bad a verdict is: greater is worse. */
export function badness(status: ArgoCdStatus): number {
  return ARGO_CD_ORDER.indexOf(status);
}

/**
 * What the first WEC by rank says, copied together: fields that only mean something side by side.
 *
 * @param rank all of one length; usually begins with the {@link badness} of the WEC's verdict
 */
export function witness(
  rank: (facts: RowFacts) => readonly number[],
  value: (facts: RowFacts) => JsonObject,
): Component<Witness, JsonObject> {
  return {
    lift: (facts) => ({ rank: rank(facts), wec: facts.wec, value: value(facts) }),
    merge: (a, b) => (witnessBefore(a, b) ? a : b),
    finish: ({ value: chosen }) => chosen,
  };
}

/** Those fields of an object that it has. */
export function fieldsOf(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): [string, JsonValue][] => {
      const value = object[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The earliest or latest time of a field, as RFC 3339 text in UTC; `''` where no WEC has one. */
export function time(
  field: string,
  choose: (a: string, b: string) => string,
): Component<string, string> {
  return {
    lift({ status }) {
      const value = status[field];
      return typeof value === 'string' ? value : '';
    },
    merge: (a, b) => (a === '' || b === '' ? a || b : choose(a, b)),
    finish: (part) => part,
  };
}

/** How the conditions of a kind are read. */
export interface ConditionsRule {
  /**
   * The entries of a WEC's list that count, of one type the one that Argo CD goes by before all others; absent: the list
   * as it stands, since Argo CD takes the first entry of a type in most kinds.
   */
  read?(entries: readonly JsonValue[]): readonly JsonValue[];
  /** What one entry of a WEC counts as; absent: the entry as it is, not decisive. */
  report?(type: string, entry: JsonObject, facts: RowFacts): ConditionReport;
}

function translated(entry: JsonObject, facts: RowFacts): JsonObject {
  const { observedGeneration } = entry;
  return typeof observedGeneration === 'number'
    ? { ...entry, observedGeneration: facts.translateGeneration(observedGeneration) }
    : entry;
}

/** The list `.status.conditions`, by `finishConditions`. */
export function conditions(
  rule: ConditionsRule = {},
): Component<ConditionsPart, readonly JsonObject[]> {
  return {
    lift(facts) {
      const list = at(facts.status, 'conditions');
      const entries = isArray(list) ? list : [];
      return liftConditions(rule.read?.(entries) ?? entries, (type, entry) => {
        const own = translated(entry, facts);
        return rule.report?.(type, own, facts) ?? { entry: own, decisive: false };
      });
    },
    merge: mergeConditions,
    finish: (part, { rows }) => finishConditions(part, rows),
  };
}

/** A reader of conditions for which only entries of these types count. */
export function ofTypes(types: ReadonlySet<unknown>) {
  return (entries: readonly JsonValue[]): readonly JsonValue[] =>
    entries.filter((entry) => types.has(member(entry, 'type')));
}

/**
 * The newest entry that decides the verdict on its WEC (K4); null where there is none.
 *
 * @param decides whether an entry of this type does
 */
export function deciding(
  type: string,
  decides: (entry: JsonObject, facts: RowFacts) => boolean,
): Component<JsonObject | null, JsonObject | null> {
  return {
    lift(facts) {
      const list = at(facts.status, 'conditions');
      const entry = (isArray(list) ? list : []).find(
        (one): one is JsonObject =>
          member(one, 'type') === type && isObject(one) && decides(one, facts),
      );
      return entry ?? null;
    },
    merge: newerEntry,
    finish: (part) => part,
  };
}

/**
 * A list of conditions in which the deciding entry, if there is one, takes the place of the newest of its type: with its
 * reason and message, beside what all WECs say together.
 *
 * @param status what the condition then is; what all say together by default
 */
export function withDeciding(
  list: readonly JsonObject[],
  entry: JsonObject | null,
  status: JsonObject = {},
): readonly JsonObject[] {
  if (entry === null) return list;
  const shared = ['status', 'lastTransitionTime', 'lastUpdateTime', 'observedGeneration'] as const;
  return list.map((one) =>
    one['type'] === entry['type'] ? { ...entry, ...fieldsOf(one, ...shared), ...status } : one,
  );
}

/** A list of conditions with other entries of some types, or with none of them. */
export function withEntries(
  list: readonly JsonObject[],
  types: ReadonlySet<unknown>,
  entries: readonly JsonObject[],
): readonly JsonObject[] {
  return [...list.filter(({ type }) => !types.has(type)), ...entries];
}

/** The list that all WECs have; empty where they differ. */
export function common(
  list: (facts: RowFacts) => readonly JsonValue[],
): Component<readonly JsonValue[], readonly JsonValue[]> {
  return {
    lift: list,
    merge: (a, b) => (equalJson(a, b) ? a : []),
    finish: (part) => part,
  };
}

/** All elements of the WECs' lists, each once, in the order of their JSON text. */
export function union(
  list: (facts: RowFacts) => readonly JsonValue[],
): Component<readonly JsonValue[], readonly JsonValue[]> {
  const sorted = (values: readonly JsonValue[]): readonly JsonValue[] => {
    const byText = new Map(values.map((value) => [stringifyJson(value), value]));
    return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
  };
  return {
    lift: (facts) => sorted(list(facts)),
    merge: (a, b) => sorted([...a, ...b]),
    finish: (part) => part,
  };
}
