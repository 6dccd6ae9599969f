import { addSums, type ExactSum, exactSum, sumToDouble } from '#shared/core/fold/exact-sum.ts';
import { doubleCell, type Value } from './value.ts';

/** The aggregations of a combined field. */
export const AGGREGATIONS = ['COUNT', 'SUM', 'AVG', 'MIN', 'MAX'] as const;
/** An aggregation of a combined field. */
export type Aggregation = (typeof AGGREGATIONS)[number];

/**
 * The state of one aggregation over the rows of a group, as plain JSON: an {@link ExactSum} for SUM and AVG, a {@link
 * JsonDouble} for MIN and MAX, and always 0 for COUNT, because the group counts its rows.
 */
export type Aggregate = number | string;

/** How one aggregation is folded. */
interface Aggregator {
  lift(subject: number | bigint): Aggregate;
  merge(a: Aggregate, b: Aggregate): Aggregate;
  /** The cell of a group with `rows` rows. A group has at least one row. */
  finish(aggregate: Aggregate, rows: number): Value;
  /** The cell of an aggregation over no rows. */
  readonly ofNone: Value;
}

/**
 * A double in a form that JSON keeps: a `number` if its magnitude is below 2^53 (zero has no sign), otherwise its text
 * as JavaScript writes it.
 */
type JsonDouble = number | string;

function toJsonDouble(value: number | bigint): JsonDouble {
  const double = Number(value);
  if (Math.abs(double) <= Number.MAX_SAFE_INTEGER) return double === 0 ? 0 : double;
  return String(double);
}

function countCell(rows: number): Value {
  return { type: 'Number', float: String(rows) };
}

const SUM: Aggregator = {
  lift: exactSum,
  merge: addSums,
  finish: (sum) => doubleCell(sumToDouble(sum)),
  ofNone: doubleCell(0),
};

/** Keeps one of two doubles. NaN takes precedence over every number, as it does in a sum. */
function extreme(choose: (a: number, b: number) => number, ofNone: number): Aggregator {
  return {
    lift: toJsonDouble,
    merge: (a, b) => toJsonDouble(choose(Number(a), Number(b))),
    finish: (value) => doubleCell(Number(value)),
    ofNone: doubleCell(ofNone),
  };
}

/**
 * The aggregations of KubeStellar's StatusCollector. Over no rows, COUNT and SUM are 0, MIN is +Inf, and MAX is -Inf.
 */
export const AGGREGATORS: Readonly<Record<Aggregation, Aggregator>> = {
  COUNT: {
    lift: () => 0,
    merge: () => 0,
    finish: (_none, rows) => countCell(rows),
    ofNone: countCell(0),
  },
  SUM,
  AVG: {
    ...SUM,
    finish: (sum, rows) => doubleCell(sumToDouble(sum) / rows),
    ofNone: doubleCell(Number.NaN),
  },
  MIN: extreme(Math.min, Number.POSITIVE_INFINITY),
  MAX: extreme(Math.max, Number.NEGATIVE_INFINITY),
};
