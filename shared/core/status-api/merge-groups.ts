import type { Aggregation } from '#shared/core/collector/aggregator.ts';
import { compareText } from '#shared/core/collector/first-entries.ts';
import { doubleCell, type Value } from '#shared/core/collector/value.ts';
import { stringifyJson } from '#shared/core/json.ts';

/** A group in an answer to a query. */
export interface AnsweredGroup {
  readonly columns: readonly Value[];
  /** How many rows it has. */
  readonly count: number;
}

/** What each column of a group is: `key` of a GROUP BY column. */
export type GroupColumn = Aggregation | 'key';

function numberOf(cell: Value | undefined): number {
  const text = cell?.type === 'Number' ? cell.float : 'NaN';
  return Number(text.replace('Inf', 'Infinity'));
}

const INTEGER = /^-?\d+$/;

/** The number of a cell for comparisons, without rounding. */
function exactOf(cell: Value & { readonly type: 'Number' }): number | bigint {
  return INTEGER.test(cell.float) ? BigInt(cell.float) : numberOf(cell);
}

interface Weighted {
  readonly value: number;
  readonly count: number;
}

const MERGED: Readonly<
  Record<Exclude<Aggregation, 'COUNT'>, (a: Weighted, b: Weighted) => number>
> = {
  SUM: (a, b) => a.value + b.value,
  AVG: (a, b) => (a.value * a.count + b.value * b.count) / (a.count + b.count),
  MIN: (a, b) => Math.min(a.value, b.value),
  MAX: (a, b) => Math.max(a.value, b.value),
};

function merged(
  columns: readonly GroupColumn[],
  a: AnsweredGroup,
  b: AnsweredGroup,
): AnsweredGroup {
  if (a.count === 0) return b;
  if (b.count === 0) return a;
  const count = a.count + b.count;
  const cells = columns.map((column, index): Value => {
    // Both groups have the same columns.
    const cell = a.columns[index] as Value;
    if (column === 'key') return cell;
    if (column === 'COUNT') return { type: 'Number', float: String(count) };
    return doubleCell(
      MERGED[column](
        { value: numberOf(cell), count: a.count },
        { value: numberOf(b.columns[index]), count: b.count },
      ),
    );
  });
  return { columns: cells, count };
}

const RANKS: Readonly<Record<Value['type'], number>> = {
  Null: 0,
  Bool: 1,
  Number: 2,
  String: 3,
  Object: 4,
  Array: 5,
};

/** The order of keys: null, false, true, numbers with NaN last, strings. */
function compareCells(a: Value, b: Value): number {
  if (a.type === 'Bool' && b.type === 'Bool') return Number(a.bool) - Number(b.bool);
  if (a.type === 'String' && b.type === 'String') return compareText(a.string, b.string);
  if (a.type !== 'Number' || b.type !== 'Number') return RANKS[a.type] - RANKS[b.type];
  const [x, y] = [exactOf(a), exactOf(b)];
  if (x < y) return -1;
  if (x > y) return 1;
  return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
}

/**
 * Merges the groups of the answers to one query, each of other rows. COUNT, MIN and MAX are exact. SUM and AVG are rounded for
 * each answer, and once more here.
 *
 * @param columns what the columns are, those of GROUP BY first
 * @returns in the order of their keys
 */
export function mergeGroups(
  columns: readonly GroupColumn[],
  groups: Iterable<AnsweredGroup>,
): readonly AnsweredGroup[] {
  const byKey = new Map<string, AnsweredGroup>();
  const keys = columns.filter((column) => column === 'key').length;
  for (const group of groups) {
    const key = stringifyJson(group.columns.slice(0, keys));
    const existing = byKey.get(key);
    byKey.set(key, existing === undefined ? group : merged(columns, existing, group));
  }
  return [...byKey.values()].sort((a, b) =>
    a.columns
      .slice(0, keys)
      // Both groups have the same columns.
      .reduce((found, cell, index) => found || compareCells(cell, b.columns[index] as Value), 0),
  );
}
