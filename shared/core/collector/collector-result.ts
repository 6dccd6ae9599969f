import type { RowError } from './column-errors.ts';
import { largeRows } from './messages.ts';
import type { CollectorShare } from './share.ts';
import type { Value } from './value.ts';

/** An error of an aggregated column. */
export interface ColumnError {
  readonly columnName: string;
  readonly error: string;
}

/** The table that a collector computes from the PerWEC table. */
export interface CollectorResult {
  readonly columnNames: readonly string[];
  /** At most `limit` rows, each with a cell for each column. */
  readonly rows: readonly (readonly Value[])[];
  /** Ordered by column (the filter first), then by WEC. */
  readonly rowErrors: readonly RowError[];
  /** All errors of aggregated columns, ordered by column. */
  readonly aggregationErrors: readonly ColumnError[];
  /**
   * The `aggregationErrors` that `status.errors` of the Binding and BindingPolicy repeat: subjects that are not
   * numbers.
   */
  readonly conversionErrors: readonly ColumnError[];
  /** Why there is no result for this object, and the remedy. If it is set, there are neither columns nor rows. */
  readonly failure?: string;
}

/** The result of a collector that cannot have one. */
export function failedResult(failure: string): CollectorResult {
  const nothing = { columnNames: [], rows: [], rowErrors: [] };
  return { ...nothing, aggregationErrors: [], conversionErrors: [], failure };
}

/** The error for a collector whose rows are too large, with the remedy. */
export function rowsTooLarge(limit: number, { bytes, reason }: CollectorShare): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${largeRows(limit, bytes)}${why}`;
}
