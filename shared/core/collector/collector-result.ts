import type { RowError } from './column-errors.ts';
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
}
