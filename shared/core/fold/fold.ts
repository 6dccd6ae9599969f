import type { JsonValue } from '#shared/core/json.ts';
import type { Slices } from '#shared/core/slices.ts';

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
 * The part of rows that come one after the other. Parts of equal numbers of rows are merged, like the carry of a binary counter.
 * So each row takes part in log2(N) merges. Merging one row after the other would copy a large part N times.
 */
export class RowFolding<Row, Part extends JsonValue> {
  readonly #fold: Fold<Row, Part, unknown>;
  readonly #lift: (row: Row) => Part;
  /** The part at index i covers 2^i rows. */
  readonly #held: (Part | undefined)[] = [];

  constructor(fold: Fold<Row, Part, unknown>) {
    this.#fold = fold;
    this.#lift = lifterOf(fold);
  }

  add(row: Row): void {
    const held = this.#held;
    let part = this.#lift(row);
    let level = 0;
    for (let same = held[0]; same !== undefined; same = held[level]) {
      part = this.#fold.merge(same, part);
      held[level] = undefined;
      level += 1;
    }
    held[level] = part;
  }

  /** The part of the rows so far. */
  part(): Part {
    return this.#held.reduce<Part>(
      (all, part) => (part === undefined ? all : this.#fold.merge(part, all)),
      this.#fold.empty,
    );
  }
}

/** Returns the part of many rows, as {@link RowFolding} makes it. */
export function foldRows<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
  rows: Iterable<Row>,
): Part {
  const folding = new RowFolding(fold);
  for (const row of rows) folding.add(row);
  return folding.part();
}

/** Like {@link foldRows}, in slices of so many rows. */
export function* foldRowsInSlices<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
  rows: Iterable<Row>,
  sliceRows: number,
): Slices<Part> {
  const folding = new RowFolding(fold);
  let left = sliceRows;
  for (const row of rows) {
    folding.add(row);
    left -= 1;
    if (left > 0) continue;
    left = sliceRows;
    yield;
  }
  return folding.part();
}
