import type { Fold } from '#shared/core/fold/fold.ts';
import { AGGREGATORS, type Aggregate } from './aggregator.ts';
import type { CollectorResult, ColumnError } from './collector-result.ts';
import {
  type ColumnErrors,
  columnError,
  type ErrorTable,
  errorMerger,
  listErrors,
  NO_ERRORS,
} from './column-errors.ts';
import { type AggregateCollector, type CollectorRow, columnNames } from './compiled-collector.ts';
import { type EntryOrder, mergeFirst } from './first-entries.ts';
import { compareKeys, type GroupKey, type KeyAtom, keyAtom, keyCell } from './group-key.ts';
import { RowEvaluation } from './row-evaluation.ts';
import { subjectNumber } from './subject-number.ts';
import type { Value } from './value.ts';

type Group = {
  readonly key: GroupKey;
  readonly rows: number;
  /** One for each combined field. */
  readonly aggregates: readonly Aggregate[];
};

/** The part of an aggregation: the first `limit` groups by key. Without GROUP BY columns there is one group at most. */
export type AggregatePart = {
  readonly groups: readonly Group[];
  readonly errors: ErrorTable;
  /** Subjects that are no numbers and count as 0: of each column the first WEC by name. */
  readonly conversions: ErrorTable;
};

const EMPTY: AggregatePart = { groups: [], errors: NO_ERRORS, conversions: NO_ERRORS };

/** KubeStellar tells one WEC whose subject is no number, "not necessarily" all. */
const CONVERSIONS_SHOWN = 1;

/**
 * The fold of an aggregation, with or without GROUP BY. A row where a group key or a subject fails is left out of all
 * aggregates; a subject that is no number counts as 0 and is an error of its column (KubeStellar, `NamedAggregator`;
 * design, section 9.6).
 */
export function aggregateFold(
  collector: AggregateCollector,
): Fold<CollectorRow, AggregatePart, CollectorResult> {
  const { combinedFields, limit } = collector;
  const aggregators = combinedFields.map(({ type }) => AGGREGATORS[type]);
  const mergeErrors = errorMerger(limit);
  const mergeConversions = errorMerger(CONVERSIONS_SHOWN);
  const byKey: EntryOrder<Group> = {
    limit,
    compare: (a, b) => compareKeys(a.key, b.key),
    combine: (a, b) => ({
      key: a.key,
      rows: a.rows + b.rows,
      // Both groups are of this collector: they have an aggregate for each combined field.
      aggregates: aggregators.map(({ merge }, index) =>
        merge(a.aggregates[index] as Aggregate, b.aggregates[index] as Aggregate),
      ),
    }),
  };
  return {
    empty: EMPTY,
    lift: (row) => liftRow(collector, row),
    merge: (a, b) => ({
      groups: mergeFirst(a.groups, b.groups, byKey),
      errors: mergeErrors(a.errors, b.errors),
      conversions: mergeConversions(a.conversions, b.conversions),
    }),
    finish: (part) => finishPart(collector, part),
  };
}

function liftRow(collector: AggregateCollector, row: CollectorRow): AggregatePart {
  const evaluation = new RowEvaluation(row);
  const { errors } = evaluation;
  if (!evaluation.passes(collector.filter)) return withoutGroup(errors);
  const key = evaluateKey(collector, evaluation);
  const conversions: ColumnErrors[] = [];
  const aggregates = collector.combinedFields.map(({ type, subject }, index) => {
    if (subject === undefined) return AGGREGATORS[type].lift(0);
    const column = key.length + index;
    const value = evaluation.evaluate(column, subject);
    if (value === undefined) return 0;
    const number = subjectNumber(value);
    if (number.ok) return AGGREGATORS[type].lift(number.value);
    conversions.push(columnError(column, row.wec, number.error));
    return AGGREGATORS[type].lift(0);
  });
  if (errors.length > 0) return withoutGroup(errors);
  return { groups: [{ key, rows: 1, aggregates }], errors: NO_ERRORS, conversions };
}

function withoutGroup(errors: ErrorTable): AggregatePart {
  return errors.length === 0 ? EMPTY : { groups: [], errors, conversions: NO_ERRORS };
}

/** The group key of a row; where a column fails, which is noted, null stands for its value. */
function evaluateKey({ groupBy }: AggregateCollector, evaluation: RowEvaluation): GroupKey {
  return groupBy.map(({ program }, column): KeyAtom => {
    const value = evaluation.evaluate(column, program);
    if (value === undefined) return null;
    const atom = keyAtom(value);
    if (atom !== undefined) return atom;
    evaluation.fail(column, `a group key must be a single value, and this is a ${value.type}`);
    return null;
  });
}

function finishPart(collector: AggregateCollector, part: AggregatePart): CollectorResult {
  const names = columnNames(collector);
  const conversionErrors = listErrors(part.conversions, names).map(
    ({ wec, columnName, error }): ColumnError => ({ columnName, error: `WEC ${wec}: ${error}` }),
  );
  const result = {
    columnNames: names,
    rowErrors: listErrors(part.errors, names),
    conversionErrors,
  };
  if (collector.groupBy.length > 0 || part.groups.length > 0)
    return {
      ...result,
      rows: part.groups.map((group) => groupCells(collector, group)),
      aggregationErrors: conversionErrors,
    };
  return { ...result, rows: [noneCells(collector)], aggregationErrors: noneErrors(collector) };
}

function groupCells({ combinedFields }: AggregateCollector, group: Group): readonly Value[] {
  const aggregated = combinedFields.map(({ type }, index) =>
    // The group is of this collector: it has an aggregate for each combined field.
    AGGREGATORS[type].finish(group.aggregates[index] as Aggregate, group.rows),
  );
  return [...group.key.map(keyCell), ...aggregated];
}

/** The only row of an aggregation without GROUP BY over no rows. */
function noneCells({ combinedFields }: AggregateCollector): readonly Value[] {
  return combinedFields.map(({ type }) => AGGREGATORS[type].ofNone);
}

function noneErrors({ combinedFields }: AggregateCollector): readonly ColumnError[] {
  return combinedFields
    .filter(({ type }) => type === 'AVG')
    .map(({ name }) => ({ columnName: name, error: 'no values to average' }));
}
