import type { JsonValue } from '#shared/core/json.ts';

/**
 * A way to reduce rows to a result through mergeable parts. `test/property/fold-laws.ts` checks these laws for every fold:
 * `merge` is associative and commutative, `empty` is its identity, and equal multisets of rows give parts with equal bytes
 * ({@link stringifyJson}) for any grouping and any order.
 *
 * @typeParam Row the contribution of one WEC
 * @typeParam Part a partial result; plain JSON, so that it can be stored
 * @typeParam Result the result of the whole table
 */
export interface Fold<Row, Part extends JsonValue, Result> {
  /** The part of no rows. */
  readonly empty: Part;
  /** The part of one row. */
  lift(row: Row): Part;
  /**
   * Returns a `lift` for rows that are all merged into one part. It may leave out work that can no longer change that part.
   * Absent: `lift` is used.
   */
  lifter?(): (row: Row) => Part;
  /** The combined part of both sides. Neither argument is changed. */
  merge(a: Part, b: Part): Part;
  /** The result of all rows, from their part. */
  finish(part: Part): Result;
}

/** Returns the function that lifts rows that are merged into one part. */
export function lifterOf<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
): (row: Row) => Part {
  return fold.lifter?.() ?? ((row) => fold.lift(row));
}

/** A fold whose rows are parts of another fold, which were computed elsewhere. */
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
 * Returns the part of many rows. Parts of equal numbers of rows are merged, like the carry of a binary counter. So each row
 * takes part in log2(N) merges. Merging one row after the other would copy a large part N times.
 */
export function foldRows<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
  rows: Iterable<Row>,
): Part {
  // The part at index i covers 2^i rows.
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
