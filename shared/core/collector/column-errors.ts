import { boundedText } from '#shared/core/error-list.ts';
import { MAX_ERROR_CHARACTERS } from '#shared/core/limits.ts';
import { byWec, type EntryOrder, mergeFirst } from './first-entries.ts';

/** The name of a WEC and the text of its error. */
type WecError = readonly [wec: string, error: string];

/** The errors of one column, bounded: how many WECs have one, and the first of them by name. */
export type ColumnErrors = {
  /** Index of the column in `columnNames`; {@link FILTER_COLUMN} for the filter. */
  readonly column: number;
  /** How many WECs have an error in this column. */
  readonly wecs: number;
  readonly first: readonly WecError[];
};

/** The errors of all columns that have any, in the order of the columns. */
export type ErrorTable = readonly ColumnErrors[];

/** An error of one row of the PerWEC table, as `rowErrors` has it. */
export interface RowError {
  readonly wec: string;
  /** `''` is the filter. */
  readonly columnName: string;
  readonly error: string;
}

/** Stands before the first column, as the filter is evaluated first. */
export const FILTER_COLUMN = -1;

/** The table of every part without errors. */
export const NO_ERRORS: ErrorTable = [];

/** The error of one WEC in one column, its text cut where it is long. */
export function columnError(column: number, wec: string, error: string): ColumnErrors {
  return { column, wecs: 1, first: [[wec, boundedText(error, MAX_ERROR_CHARACTERS)]] };
}

/**
 * Merges error tables. Of each column at most `limit` WECs keep their text, the first by name; all are counted.
 */
export function errorMerger(limit: number): (a: ErrorTable, b: ErrorTable) => ErrorTable {
  const firstWecs = byWec<WecError>(limit);
  const byColumn: EntryOrder<ColumnErrors> = {
    limit: Number.POSITIVE_INFINITY,
    compare: (a, b) => a.column - b.column,
    combine: (a, b) => ({
      column: a.column,
      wecs: a.wecs + b.wecs,
      first: mergeFirst(a.first, b.first, firstWecs),
    }),
  };
  return (a, b) => mergeFirst(a, b, byColumn);
}

/**
 * The errors as a CombinedStatus lists them: by column, then by WEC. Where a column has more than were kept, the last
 * text says how many more there are, so that nothing is cut silently (docs/architecture.md, section 5).
 */
export function listErrors(table: ErrorTable, columnNames: readonly string[]): readonly RowError[] {
  return table.flatMap(({ column, wecs, first }) => {
    const columnName = columnNames[column] ?? '';
    const more = wecs - first.length;
    return first.map(([wec, text], index) => {
      const last = more > 0 && index === first.length - 1;
      return { wec, columnName, error: last ? `${text} ${andMore(more)}` : text };
    });
  });
}

function andMore(wecs: number): string {
  return wecs === 1
    ? '(and 1 more WEC has an error in this column)'
    : `(and ${wecs} more WECs have an error in this column)`;
}
