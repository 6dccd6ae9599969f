import { equalJson, type JsonValue } from '#shared/core/json.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';
import type { RowFacts } from './row-facts.ts';

/** A WEC that decides something, and what it says about it. `''` if that does not matter. */
export type Decider = readonly [wec: string, label: string];

/**
 * The WECs that decide the aspects of a part, by the name of the aspect. The deciders of an aspect are sorted by WEC,
 * and each has another label. Plain JSON.
 */
export type Deciders = JsonRecord<readonly Decider[]>;

/** A part with the WECs that decide it. */
export type Decided<P extends JsonValue> = { readonly part: P; readonly by: Deciders };

/**
 * Which WECs decide a part. Together with the part, `lift` and `merge` obey the laws of a `Fold`, so that the deciders
 * do not depend on the order of the rows.
 */
export interface DecidersOf<P extends JsonValue, Facts = RowFacts> {
  lift(facts: Facts, part: P): Deciders;
  /** @param merged the part of both sides together */
  merge(a: Decided<P>, b: Decided<P>, merged: P): Deciders;
  /** The names of the WECs that decide a condition. If absent, the deciders of all aspects. */
  ofCondition?(decided: Decided<P>, condition: AggregatedCondition): readonly string[];
}

/** A condition of an aggregate. */
export interface AggregatedCondition {
  readonly type: string;
  /** `''` if the aggregate has no such condition. */
  readonly status: string;
}

/** At most this many WECs are named. */
export const MAX_DECIDERS = 10;

/** One more than are named, so that it is known whether there are more. */
const MAX_KEPT = MAX_DECIDERS + 1;

function byWec([a]: Decider, [b]: Decider): number {
  return a < b ? -1 : 1;
}

/** @param a sorted, each with another label, as is `b` */
function firstOfEach(a: readonly Decider[], b: readonly Decider[]): readonly Decider[] {
  const [own] = a;
  const [other] = b;
  if (own === undefined || other === undefined) return own === undefined ? b : a;
  if (a.length === 1 && b.length === 1 && own[1] === other[1]) return byWec(own, other) < 0 ? a : b;
  const labels = new Set<string>();
  const first = [...a, ...b].sort(byWec).filter(([, label]) => {
    const isNew = !labels.has(label);
    labels.add(label);
    return isNew;
  });
  return first.slice(0, MAX_KEPT);
}

/** A WEC that decides by itself. */
type Named = Pick<RowFacts, 'wec'>;

function whole(part: JsonValue): JsonRecord<JsonValue> {
  return { whole: part };
}

/**
 * The deciders of a part that is selected: each aspect of the merged part is that of one side, whose deciders decide
 * it. If both sides have the same, the first WEC by name decides.
 *
 * @param split splits a part into values that are selected independently of each other
 */
export function selecting<P extends JsonValue>(
  split: (part: P) => JsonRecord<JsonValue> = whole,
): DecidersOf<P, Named> {
  const cache = new WeakMap<object, JsonRecord<JsonValue>>();
  // A part that was made is merged next.
  const aspects = (part: P): JsonRecord<JsonValue> => {
    if (typeof part !== 'object' || part === null) return split(part);
    const all = cache.get(part) ?? split(part);
    cache.set(part, all);
    return all;
  };
  return {
    lift({ wec }, part) {
      const names = Object.keys(aspects(part));
      return Object.fromEntries(names.map((name) => [name, [[wec, '']]]));
    },
    merge(a, b, merged) {
      const [left, right] = [aspects(a.part), aspects(b.part)];
      const by: [string, readonly Decider[]][] = [];
      for (const [name, value] of Object.entries(aspects(merged))) {
        // Each aspect of a side has deciders.
        const mine = equalJson(left[name], value) ? (a.by[name] as readonly Decider[]) : [];
        const others = equalJson(right[name], value) ? (b.by[name] as readonly Decider[]) : [];
        by.push([name, firstOfEach(mine, others)]);
      }
      return Object.fromEntries(by);
    },
  };
}

/**
 * The deciders of a part to which each WEC contributes: for each aspect and label, the first WEC by name.
 *
 * @param contributions what a WEC contributes, as pairs of an aspect and a label
 */
export function contributing<P extends JsonValue, Facts extends Named = RowFacts>(
  contributions: (facts: Facts) => readonly (readonly [aspect: string, label: string])[],
): DecidersOf<P, Facts> {
  return {
    lift(facts) {
      const by: Record<string, readonly Decider[]> = {};
      for (const [aspect, label] of contributions(facts))
        by[aspect] = firstOfEach(by[aspect] ?? [], [[facts.wec, label]]);
      return by;
    },
    merge: (a, b) => mergeRecords(a.by, b.by, firstOfEach),
  };
}

/** The names of the WECs that decide some aspects, sorted, each once. All aspects if none are named. */
export function decidersOf(by: Deciders, aspects: readonly string[] = Object.keys(by)): string[] {
  const names = aspects.flatMap((aspect) => (by[aspect] ?? []).map(([wec]) => wec));
  return [...new Set(names)].sort();
}
