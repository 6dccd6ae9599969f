import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_COMBINED_STATUS_BYTES } from '#shared/core/limits.ts';
import { failedResult, rowsTooLarge } from './collector-result.ts';
import { type ErrorTable, errorMerger, listErrors, NO_ERRORS } from './column-errors.ts';
import { columnNames, type SelectCollector } from './compiled-collector.ts';
import {
  byWec,
  compareText,
  mergeSized,
  type SizedEntries,
  type SizedOrder,
  sizedEntry,
} from './first-entries.ts';
import type { EvaluatedFold } from './priced-fold.ts';
import type { RowEvaluation } from './row-evaluation.ts';
import { type CollectorShare, errorTexts } from './share.ts';
import type { Value } from './value.ts';

type SelectedRow = readonly [wec: string, cells: readonly Value[], bytes: number];

/** The part of a plain selection: the first `limit` rows by the name of their WEC, bounded by their bytes. */
export type SelectPart = {
  readonly rows: SizedEntries<SelectedRow, string>;
  readonly errors: ErrorTable;
};

const NO_ROWS: SelectPart['rows'] = { entries: [] };
const EMPTY: SelectPart = { rows: NO_ROWS, errors: NO_ERRORS };

/**
 * The fold of a plain selection. A row whose filter fails is left out. A column that fails has the cell `Null`, and the
 * row stays (docs/architecture.md, section 9.6). Rows beyond the limit are evaluated too, so that their errors count.
 */
export function selectFold(
  collector: SelectCollector,
  share: CollectorShare,
): EvaluatedFold<SelectPart> {
  const { limit } = collector;
  const names = columnNames(collector);
  const mergeErrors = errorMerger(Math.min(limit, errorTexts(share, names.length)));
  const firstWecs: SizedOrder<SelectedRow, string> = {
    ...byWec<SelectedRow>(limit),
    maxBytes: share.bytes,
    keyOf: ([wec]) => wec,
    compareKeys: compareText,
    bytesOf: ([, , bytes]) => bytes,
  };
  return {
    empty: EMPTY,
    lift: (evaluation) => liftRow(collector, evaluation, firstWecs),
    merge: (a, b) => ({
      rows: mergeSized(a.rows, b.rows, firstWecs),
      errors: mergeErrors(a.errors, b.errors),
    }),
    finish({ rows, errors }) {
      if (rows.cut !== undefined) return failedResult(rowsTooLarge(limit, share));
      return {
        columnNames: names,
        rows: rows.entries.map(([, cells]) => cells),
        rowErrors: listErrors(errors, names),
        aggregationErrors: [],
        conversionErrors: [],
      };
    },
  };
}

/** The cells of a row. Undefined if the filter leaves the row out. The errors are in the evaluation. */
export function selectedCells(
  { filter, columns }: SelectCollector,
  evaluation: RowEvaluation,
): readonly Value[] | undefined {
  if (!evaluation.passes(filter)) return undefined;
  return columns.map(({ program }, column) => evaluation.cell(column, program));
}

function liftRow(
  collector: SelectCollector,
  evaluation: RowEvaluation,
  order: SizedOrder<SelectedRow, string>,
): SelectPart {
  const { errors } = evaluation;
  const cells = selectedCells(collector, evaluation);
  if (cells === undefined) return errors.length === 0 ? EMPTY : { rows: NO_ROWS, errors };
  const bytes = jsonBytes(cells, MAX_COMBINED_STATUS_BYTES);
  return { rows: sizedEntry([evaluation.wec, cells, bytes], order), errors };
}
