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
import { withTranslatedGeneration } from '#shared/core/observed-generation.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import {
  type ConditionReport,
  type ConditionsPart,
  conditionListsOf,
  finishConditions,
  liftConditions,
  mergeConditions,
  newerEntry,
} from './conditions.ts';
import { contributing, type DecidersOf, selecting } from './deciders.ts';
import type { RowFacts } from './row-facts.ts';
import { isTime } from './time-order.ts';

/** What is known about all rows together. */
export interface Totals {
  readonly workload: WorkloadObject;
  /** The number of qualified WECs, including those that have returned nothing. */
  readonly rows: number;
  /** The worst of Argo CD's verdicts on the WECs' own objects. */
  readonly worst: ArgoCdStatus;
}

/**
 * One of the folds that make up the rule of a kind. Its lift and merge obey the laws of a `Fold` over one row or more.
 *
 * @typeParam P the part; plain JSON
 * @typeParam R the result
 */
export interface Component<P extends JsonValue, R> {
  lift(facts: RowFacts): P;
  merge(a: P, b: P): P;
  finish(part: P, totals: Totals): R;
  /** Which WECs decide the part. Only explanations use this. */
  readonly deciders: DecidersOf<P>;
}

type ReadNumber = (facts: RowFacts) => number;

function reader(field: string | ReadNumber): ReadNumber {
  return typeof field === 'string' ? ({ status }) => countAt(status, field) : field;
}

/**
 * The lowest number.
 *
 * @param field a counter of `.status`, 0 if absent; or a function that reads the number
 */
export function minimum(field: string | ReadNumber): Component<number, number> {
  return {
    lift: reader(field),
    merge: Math.min,
    finish: (part) => part,
    deciders: selecting(),
  };
}

/** The highest number. Like {@link minimum}. */
export function maximum(field: string | ReadNumber): Component<number, number> {
  return {
    lift: reader(field),
    merge: Math.max,
    finish: (part) => part,
    deciders: selecting(),
  };
}

/** The number of WECs for which a predicate holds. One for which it holds and one for which it does not decide. */
export function count(predicate: (facts: RowFacts) => boolean): Component<number, number> {
  return {
    lift: (facts) => Number(predicate(facts)),
    merge: (a, b) => a + b,
    finish: (part) => part,
    deciders: contributing((facts) => [[predicate(facts) ? 'holds' : 'fails', '']]),
  };
}

/** The content of one WEC's status that is used for all WECs. */
export type Witness = {
  /**
   * The greater rank goes first, decided by the first difference, then by the WEC's name in code-unit order. All ranks
   * have the same length.
   */
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

/** How bad a verdict is. A greater number is worse. */
export function badness(status: ArgoCdStatus): number {
  return ARGO_CD_ORDER.indexOf(status);
}

/**
 * Fields of the first WEC by rank. They are copied together, because they only have a meaning together.
 *
 * @param rank all ranks have the same length; a rank usually begins with the {@link badness} of the WEC's verdict
 */
export function witness(
  rank: (facts: RowFacts) => readonly number[],
  value: (facts: RowFacts) => JsonObject,
): Component<Witness, JsonObject> {
  return {
    lift: (facts) => ({ rank: rank(facts), wec: facts.wec, value: value(facts) }),
    merge: (a, b) => (witnessBefore(a, b) ? a : b),
    finish: ({ value: chosen }) => chosen,
    deciders: selecting(),
  };
}

/** Those of the named fields that an object has. */
export function fieldsOf(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name): [string, JsonValue][] => {
      const value = object[name] ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The earliest or latest time of a field, as RFC 3339 text in UTC. A text that is no time does not count. `''` if no WEC has one. */
export function time(
  field: string,
  choose: (a: string, b: string) => string,
): Component<string, string> {
  return {
    lift({ status }) {
      const value = status[field];
      return typeof value === 'string' && isTime(value) ? value : '';
    },
    merge: (a, b) => (a === '' || b === '' ? a || b : choose(a, b)),
    finish: (part) => part,
    deciders: selecting(),
  };
}

/** How the conditions of a kind are read. */
export interface ConditionsRule {
  /**
   * The entries of a WEC's list that count. The entry of a type that Argo CD uses must come before the others of that
   * type. If absent, the list is used as it is, because for most kinds Argo CD takes the first entry of a type.
   */
  read?(entries: readonly JsonValue[]): readonly JsonValue[];
  /** The report for one entry of a WEC. If absent, the entry as it is, not decisive. */
  report?(type: string, entry: JsonObject, facts: RowFacts): ConditionReport;
}

/** The list `.status.conditions`, aggregated by `finishConditions`. */
export function conditions(
  rule: ConditionsRule = {},
): Component<ConditionsPart, readonly JsonObject[]> {
  return {
    lift(facts) {
      const list = at(facts.status, 'conditions');
      const entries = isArray(list) ? list : [];
      return liftConditions(facts.wec, rule.read?.(entries) ?? entries, (type, entry) => {
        const own = withTranslatedGeneration(entry, facts.translateGeneration);
        return rule.report?.(type, own, facts) ?? { entry: own, decisive: false };
      });
    },
    merge: mergeConditions,
    finish: (part, { rows }) => finishConditions(part, rows),
    deciders: conditionListsOf((part) => [part]),
  };
}

/** A reader of conditions that only counts entries of these types. */
export function ofTypes(types: ReadonlySet<unknown>) {
  return (entries: readonly JsonValue[]): readonly JsonValue[] =>
    entries.filter((entry) => types.has(member(entry, 'type')));
}

/**
 * The newest entry that decides the verdict on its WEC (K4), or null if there is none.
 *
 * @param decides whether an entry of this type decides
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
    deciders: selecting(),
  };
}

/**
 * A list of conditions in which the deciding entry, if there is one, replaces the newest entry of its type. Its reason
 * and message are combined with what all WECs report together.
 *
 * @param status the status of the condition; by default, what all WECs report together
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

/** A list of conditions in which the entries of some types are replaced or removed. */
export function withEntries(
  list: readonly JsonObject[],
  types: ReadonlySet<unknown>,
  entries: readonly JsonObject[],
): readonly JsonObject[] {
  return [...list.filter(({ type }) => !types.has(type)), ...entries];
}

/** The list that all WECs have. Empty if their lists differ. */
export function common(
  list: (facts: RowFacts) => readonly JsonValue[],
): Component<readonly JsonValue[], readonly JsonValue[]> {
  return {
    lift: list,
    merge: (a, b) => (equalJson(a, b) ? a : []),
    finish: (part) => part,
    deciders: contributing((facts) => [['list', stringifyJson(list(facts))]]),
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
    deciders: contributing((facts) =>
      list(facts).map((element) => ['element', stringifyJson(element)]),
    ),
  };
}
