import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_CELL_BYTES } from '#shared/core/limits.ts';
import { AGGREGATORS, type Aggregate } from './aggregator.ts';
import {
  type CollectorResult,
  type ColumnError,
  failedResult,
  rowsTooLarge,
} from './collector-result.ts';
import {
  type ColumnErrors,
  columnError,
  type ErrorTable,
  errorMerger,
  listErrors,
  NO_ERRORS,
} from './column-errors.ts';
import { type AggregateCollector, columnNames } from './compiled-collector.ts';
import { mergeSized, type SizedEntries, type SizedOrder } from './first-entries.ts';
import { compareKeys, type GroupKey, type KeyAtom, keyAtom, keyCell } from './group-key.ts';
import { compositeKey, largeKey, NO_VALUES } from './messages.ts';
import type { EvaluatedFold } from './priced-fold.ts';
import type { RowEvaluation } from './row-evaluation.ts';
import { type CollectorShare, errorTexts } from './share.ts';
import { subjectNumber } from './subject-number.ts';
import type { Value } from './value.ts';

type Group = {
  readonly key: GroupKey;
  /** The bytes of the key as JSON. */
  readonly bytes: number;
  readonly rows: number;
  /** One for each combined field. */
  readonly aggregates: readonly Aggregate[];
};

/**
 * The part of an aggregation: the first `limit` groups by key, bounded by their bytes. Without GROUP BY columns, there
 * is at most one group.
 */
export type AggregatePart = {
  readonly groups: SizedEntries<Group, GroupKey>;
  readonly errors: ErrorTable;
  /** Subjects that are not numbers and count as 0: for each column, the first WEC by name. */
  readonly conversions: ErrorTable;
};

const NO_GROUPS: AggregatePart['groups'] = { entries: [] };
const EMPTY: AggregatePart = { groups: NO_GROUPS, errors: NO_ERRORS, conversions: NO_ERRORS };

/** The least number of bytes of an aggregated cell, such as `{"type":"Number","float":"0"}`. */
const AGGREGATE_BYTES = 29;

/** KubeStellar reports one WEC whose subject is not a number, "not necessarily" all. */
const CONVERSIONS_SHOWN = 1;

/**
 * The fold of an aggregation, with or without GROUP BY. If a group key or a subject of a row fails, the row is left out
 * of all aggregates. A subject that is not a number counts as 0 and is an error of its column (KubeStellar,
 * `NamedAggregator`; docs/architecture.md, section 9.6).
 */
export function aggregateFold(
  collector: AggregateCollector,
  share: CollectorShare,
): EvaluatedFold<AggregatePart> {
  const { combinedFields, limit } = collector;
  const aggregators = combinedFields.map(({ type }) => AGGREGATORS[type]);
  const columns = columnNames(collector).length;
  const mergeErrors = errorMerger(Math.min(limit, errorTexts(share, columns)));
  const mergeConversions = errorMerger(CONVERSIONS_SHOWN);
  const byKey: SizedOrder<Group, GroupKey> = {
    limit,
    maxBytes: share.bytes,
    keyOf: ({ key }) => key,
    compareKeys,
    bytesOf: ({ bytes }) => bytes + combinedFields.length * AGGREGATE_BYTES,
    compare: (a, b) => compareKeys(a.key, b.key),
    combine: (a, b) => ({
      key: a.key,
      bytes: a.bytes,
      rows: a.rows + b.rows,
      // Both groups come from this collector, so they have an aggregate for each combined field.
      aggregates: aggregators.map(({ merge }, index) =>
        merge(a.aggregates[index] as Aggregate, b.aggregates[index] as Aggregate),
      ),
    }),
  };
  return {
    empty: EMPTY,
    lift: (evaluation) => liftRow(collector, evaluation),
    merge: (a, b) => ({
      groups: mergeSized(a.groups, b.groups, byKey),
      errors: mergeErrors(a.errors, b.errors),
      conversions: mergeConversions(a.conversions, b.conversions),
    }),
    finish(part) {
      return part.groups.cut === undefined
        ? finishPart(collector, part)
        : failedResult(rowsTooLarge(limit, share));
    },
  };
}

function liftRow(collector: AggregateCollector, evaluation: RowEvaluation): AggregatePart {
  const { errors } = evaluation;
  if (!evaluation.passes(collector.filter)) return withoutGroup(errors);
  const key = evaluateKey(collector, evaluation);
  const bytes = jsonBytes(key);
  const conversions: ColumnErrors[] = [];
  const aggregates = collector.combinedFields.map(({ type, subject }, index) => {
    if (subject === undefined) return AGGREGATORS[type].lift(0);
    const column = key.length + index;
    const value = evaluation.evaluate(column, subject);
    if (value === undefined) return 0;
    const number = subjectNumber(value);
    if (number.ok) return AGGREGATORS[type].lift(number.value);
    conversions.push(columnError(column, evaluation.wec, number.error));
    return AGGREGATORS[type].lift(0);
  });
  if (errors.length > 0) return withoutGroup(errors);
  return {
    groups: { entries: [{ key, bytes, rows: 1, aggregates }] },
    errors: NO_ERRORS,
    conversions,
  };
}

function withoutGroup(errors: ErrorTable): AggregatePart {
  return errors.length === 0 ? EMPTY : { groups: NO_GROUPS, errors, conversions: NO_ERRORS };
}

/**
 * The group key of a row, of at most {@link MAX_CELL_BYTES}. If a column fails, the error is recorded, and the value is
 * null.
 */
function evaluateKey({ groupBy }: AggregateCollector, evaluation: RowEvaluation): GroupKey {
  let left = MAX_CELL_BYTES;
  return groupBy.map(({ program }, column): KeyAtom => {
    const value = evaluation.evaluate(column, program);
    if (value === undefined) return null;
    const atom = keyAtom(value);
    if (atom !== undefined) {
      left -= jsonBytes(atom, left);
      if (left >= 0) return atom;
      evaluation.fail(column, largeKey(MAX_CELL_BYTES));
      return null;
    }
    evaluation.fail(column, compositeKey(value.type));
    return null;
  });
}

function finishPart(collector: AggregateCollector, part: AggregatePart): CollectorResult {
  const names = columnNames(collector);
  const conversionErrors = listErrors(part.conversions, names).map(
    ({ wec, columnName, error }): ColumnError => ({ columnName, error: `WEC ${wec}: ${error}` }),
  );
  return {
    columnNames: names,
    rows: groupRows(collector, part).map(({ columns }) => columns),
    rowErrors: listErrors(part.errors, names),
    aggregationErrors: isOfNone(collector, part) ? noneErrors(collector) : conversionErrors,
    conversionErrors,
  };
}

/** Whether an aggregation is one row over no rows: it has no GROUP BY, and no row passes. */
function isOfNone({ groupBy }: AggregateCollector, { groups }: AggregatePart): boolean {
  return groupBy.length === 0 && groups.entries.length === 0;
}

/** A row of the result of an aggregation. */
export interface GroupRow {
  readonly columns: readonly Value[];
  /** How many rows it aggregates: 0 only for the one row of an aggregation without GROUP BY. */
  readonly rows: number;
}

/** The rows of the result of an aggregation: one for each group of the part, in their order. */
export function groupRows(collector: AggregateCollector, part: AggregatePart): readonly GroupRow[] {
  if (isOfNone(collector, part)) return [{ columns: noneCells(collector), rows: 0 }];
  return part.groups.entries.map((group) => ({
    columns: groupCells(collector, group),
    rows: group.rows,
  }));
}

function groupCells({ combinedFields }: AggregateCollector, group: Group): readonly Value[] {
  const aggregated = combinedFields.map(({ type }, index) =>
    // The group comes from this collector, so it has an aggregate for each combined field.
    AGGREGATORS[type].finish(group.aggregates[index] as Aggregate, group.rows),
  );
  return [...group.key.map(keyCell), ...aggregated];
}

/** The only row of an aggregation without GROUP BY over no rows. */
function noneCells({ combinedFields }: AggregateCollector): readonly Value[] {
  return combinedFields.map(({ type }) => AGGREGATORS[type].ofNone);
}

/** The errors of an aggregation without GROUP BY over no rows. */
export function noneErrors({ combinedFields }: AggregateCollector): readonly ColumnError[] {
  return combinedFields
    .filter(({ type }) => type === 'AVG')
    .map(({ name }) => ({ columnName: name, error: NO_VALUES }));
}
