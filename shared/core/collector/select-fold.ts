import type { Fold } from '#shared/core/fold/fold.ts';
import type { CollectorResult } from './collector-result.ts';
import { type ErrorTable, errorMerger, listErrors, NO_ERRORS } from './column-errors.ts';
import { type CollectorRow, columnNames, type SelectCollector } from './compiled-collector.ts';
import { byWec, mergeFirst } from './first-entries.ts';
import { RowEvaluation } from './row-evaluation.ts';
import { NULL_VALUE, toValue, type Value } from './value.ts';

type SelectedRow = readonly [wec: string, cells: readonly Value[]];

/** The part of a plain selection: the first `limit` rows by the name of their WEC. */
export type SelectPart = {
  readonly rows: readonly SelectedRow[];
  readonly errors: ErrorTable;
};

const EMPTY: SelectPart = { rows: [], errors: NO_ERRORS };

/**
 * The fold of a plain selection. A row whose filter fails is left out; a column that fails has the cell `Null`, and
 * the row stays (design, section 9.6). Rows beyond the limit are evaluated too, so that their errors count.
 */
export function selectFold(
  collector: SelectCollector,
): Fold<CollectorRow, SelectPart, CollectorResult> {
  const { limit } = collector;
  const names = columnNames(collector);
  const mergeErrors = errorMerger(limit);
  const firstWecs = byWec<SelectedRow>(limit);
  return {
    empty: EMPTY,
    lift: (row) => liftRow(collector, row),
    merge: (a, b) => ({
      rows: mergeFirst(a.rows, b.rows, firstWecs),
      errors: mergeErrors(a.errors, b.errors),
    }),
    finish: ({ rows, errors }) => ({
      columnNames: names,
      rows: rows.map(([, cells]) => cells),
      rowErrors: listErrors(errors, names),
      aggregationErrors: [],
      conversionErrors: [],
    }),
  };
}

function liftRow({ filter, columns }: SelectCollector, row: CollectorRow): SelectPart {
  const evaluation = new RowEvaluation(row);
  const { errors } = evaluation;
  if (!evaluation.passes(filter)) return errors.length === 0 ? EMPTY : { rows: [], errors };
  const cells = columns.map(({ program }, column) => {
    const value = evaluation.evaluate(column, program);
    return value === undefined ? NULL_VALUE : toValue(value);
  });
  return { rows: [[row.wec, cells]], errors };
}
