import type { Activation, Program, Variable } from '#shared/core/expression/expression.ts';
import type { Aggregation } from './aggregator.ts';

/** A named expression: an output column of a selection, or a GROUP BY column. */
export interface CompiledColumn {
  readonly name: string;
  readonly program: Program;
}

/** An aggregated output column; `subject` is absent for COUNT, which counts rows. */
export interface CombinedField {
  readonly name: string;
  readonly type: Aggregation;
  readonly subject?: Program;
}

interface CollectorBase {
  /** The WHERE clause; absent where every row passes. */
  readonly filter?: Program;
  /** How many rows the result has at most. */
  readonly limit: number;
}

/** Plain selection: a row for each WEC that passes the filter. */
export interface SelectCollector extends CollectorBase {
  readonly kind: 'select';
  readonly columns: readonly CompiledColumn[];
}

/** Aggregation; without GROUP BY columns all rows are one group. */
export interface AggregateCollector extends CollectorBase {
  readonly kind: 'aggregate';
  readonly groupBy: readonly CompiledColumn[];
  readonly combinedFields: readonly CombinedField[];
}

/** A valid StatusCollector, ready to be folded. */
export type CompiledCollector = SelectCollector | AggregateCollector;

/** A valid StatusCollector that is not kept compiled, since none of the Bindings at hand has room for it. */
export interface UncompiledCollector {
  readonly kind: 'uncompiled';
  /** What it takes compiled ({@link compiledBytes}). */
  readonly bytes: number;
}

/** What a collector is evaluated on: one row of the PerWEC table. */
export interface CollectorRow {
  /** Name of the WEC; no two rows of a table have the same. */
  readonly wec: string;
  readonly activation: Activation;
}

/** The names of the output columns: GROUP BY names, then combined fields, or the selected names, in spec order. */
export function columnNames(collector: CompiledCollector): readonly string[] {
  const columns =
    collector.kind === 'select'
      ? collector.columns
      : [...collector.groupBy, ...collector.combinedFields];
  return columns.map(({ name }) => name);
}

function programs(collector: CompiledCollector): readonly (Program | undefined)[] {
  const own =
    collector.kind === 'select'
      ? collector.columns.map(({ program }) => program)
      : [
          ...collector.groupBy.map(({ program }) => program),
          ...collector.combinedFields.map(({ subject }) => subject),
        ];
  return [collector.filter, ...own];
}

/** What a collector takes in memory, and each of its columns beside the name, apart from the expressions. */
const COLLECTOR_BYTES = 500;
const COLUMN_BYTES = 200;
const CHARACTER_BYTES = 2;

/** What a collector takes in memory at most, about. */
export function compiledBytes(collector: CompiledCollector): number {
  const names = columnNames(collector);
  const columns = names.reduce(
    (sum, { length }) => sum + COLUMN_BYTES + length * CHARACTER_BYTES,
    0,
  );
  const expressions = programs(collector).reduce((sum, program) => sum + (program?.bytes ?? 0), 0);
  return COLLECTOR_BYTES + columns + expressions;
}

/** Whether an expression of the collector mentions a variable. */
export function mentions(collector: CompiledCollector, variable: Variable): boolean {
  return programs(collector).some((program) => program?.variables.has(variable) === true);
}
