import type { RowError } from './column-errors.ts';
import type { CollectorShare } from './share.ts';
import type { Value } from './value.ts';

/** An error of an aggregated column. */
export interface ColumnError {
  readonly columnName: string;
  readonly error: string;
}

/** The table that a collector makes of the PerWEC table. */
export interface CollectorResult {
  readonly columnNames: readonly string[];
  /** At most `limit` rows, each with a cell for each column. */
  readonly rows: readonly (readonly Value[])[];
  /** By column (the filter first), then by WEC. */
  readonly rowErrors: readonly RowError[];
  /** All errors of aggregated columns, by column. */
  readonly aggregationErrors: readonly ColumnError[];
  /** Those of `aggregationErrors` that `status.errors` of the Binding and BindingPolicy repeat: subjects that are no numbers. */
  readonly conversionErrors: readonly ColumnError[];
  /** Why there is no result for this object, and what to do: then there are neither columns nor rows. */
  readonly failure?: string;
}

/** What stands in place of a result that there cannot be. */
export function failedResult(failure: string): CollectorResult {
  const nothing = { columnNames: [], rows: [], rowErrors: [] };
  return { ...nothing, aggregationErrors: [], conversionErrors: [], failure };
}

/** Why the rows of a collector are no result, and what to do. */
export function rowsTooLarge(limit: number, { bytes, reason }: CollectorShare): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  return `its first ${limit} rows take more than ${bytes} bytes: give a lower limit, or select less${why}`;
}
