import { boundedText } from '#shared/core/error-list.ts';
import { MAX_ERROR_CHARACTERS } from '#shared/core/limits.ts';
import { byWec, type EntryOrder, mergeFirst } from './first-entries.ts';
import { moreErrors } from './messages.ts';

/** The name of a WEC and the text of its error. */
type WecError = readonly [wec: string, error: string];

/** The errors of one column, bounded: the number of WECs with an error, and the first of them by name. */
export type ColumnErrors = {
  /** Index of the column in `columnNames`, or {@link FILTER_COLUMN} for the filter. */
  readonly column: number;
  /** How many WECs have an error in this column. */
  readonly wecs: number;
  readonly first: readonly WecError[];
};

/** The errors of all columns that have errors, in the order of the columns. */
export type ErrorTable = readonly ColumnErrors[];

/** An error of one row of the PerWEC table, as in `rowErrors`. */
export interface RowError {
  readonly wec: string;
  /** `''` is the filter. */
  readonly columnName: string;
  readonly error: string;
}

/** Precedes the first column, because the filter is evaluated first. */
export const FILTER_COLUMN = -1;

/** The error table of a part without errors. */
export const NO_ERRORS: ErrorTable = [];

/** The error of one WEC in one column. A long text is cut. */
export function columnError(column: number, wec: string, error: string): ColumnErrors {
  return { column, wecs: 1, first: [[wec, boundedText(error, MAX_ERROR_CHARACTERS)]] };
}

/** Merges error tables. For each column, the first `limit` WECs by name keep their text. All WECs are counted. */
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
 * The errors in the form of a CombinedStatus: by column, then by WEC. If a column has more errors than were kept, the
 * last text gives the number of the others, so that nothing is cut silently (docs/architecture.md, section 5).
 */
export function listErrors(table: ErrorTable, columnNames: readonly string[]): readonly RowError[] {
  return table.flatMap(({ column, wecs, first }) => {
    const columnName = columnNames[column] ?? '';
    const more = wecs - first.length;
    return first.map(([wec, text], index) => {
      const last = more > 0 && index === first.length - 1;
      return { wec, columnName, error: last ? `${text} ${moreErrors(more)}` : text };
    });
  });
}
