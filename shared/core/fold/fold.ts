import type { JsonValue } from '#shared/core/json.ts';

/**
 * A way to reduce rows to a result through mergeable parts. Laws, checked by `test/property/fold-laws.ts` for every
 * fold: `merge` is associative and commutative, `empty` is its identity, and equal multisets of rows give parts with
 * equal bytes ({@link stringifyJson}) for any grouping and any order.
 *
 * @typeParam Row what one WEC contributes
 * @typeParam Part a partial result; plain JSON, so that it can be stored
 * @typeParam Result what the whole table gives
 */
export interface Fold<Row, Part extends JsonValue, Result> {
  /** The part of no rows. */
  readonly empty: Part;
  /** The part of one row. */
  lift(row: Row): Part;
  /**
   * A `lift` for rows that are all merged into one part: it may leave out work that can no longer change that part. Absent:
   * `lift` does.
   */
  lifter?(): (row: Row) => Part;
  /** The part of both sides together. Neither argument is changed. */
  merge(a: Part, b: Part): Part;
  /** The result of all rows, from their part. */
  finish(part: Part): Result;
}

/** How rows that are merged into one part are lifted. */
export function lifterOf<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
): (row: Row) => Part {
  return fold.lifter?.() ?? ((row) => fold.lift(row));
}

/** A fold whose rows are parts of another, put there by whoever folded them. */
export function mergingFold<Part extends JsonValue, Result>(
  fold: Fold<never, Part, Result>,
): Fold<Part, Part, Result> {
  return {
    empty: fold.empty,
    lift: (part) => part,
    merge: (a, b) => fold.merge(a, b),
    finish: (part) => fold.finish(part),
  };
}

/**
 * The part of many rows. Parts of equally many rows are merged, as the bits of a binary counter carry, so that each
 * row takes part in log2(N) merges: one row after the other would copy a large part N times.
 */
export function foldRows<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
  rows: Iterable<Row>,
): Part {
  // The part at index i is of 2^i rows.
  const held: (Part | undefined)[] = [];
  const lift = lifterOf(fold);
  for (const row of rows) {
    let part = lift(row);
    let level = 0;
    for (let same = held[0]; same !== undefined; same = held[level]) {
      part = fold.merge(same, part);
      held[level] = undefined;
      level += 1;
    }
    held[level] = part;
  }
  return held.reduce<Part>(
    (all, part) => (part === undefined ? all : fold.merge(part, all)),
    fold.empty,
  );
}
