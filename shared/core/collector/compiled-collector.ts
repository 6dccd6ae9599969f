import type { Activation, Program, Variable, WecFact } from '#shared/core/expression/expression.ts';
import type { Aggregation } from './aggregator.ts';

/** A named expression: an output column of a selection, or a GROUP BY column. */
export interface CompiledColumn {
  readonly name: string;
  readonly program: Program;
}

/** An aggregated output column. `subject` is absent for COUNT, which counts rows. */
export interface CombinedField {
  readonly name: string;
  readonly type: Aggregation;
  readonly subject?: Program;
}

interface CollectorBase {
  /** The WHERE clause. If absent, every row passes. */
  readonly filter?: Program;
  /** The maximum number of rows in the result. */
  readonly limit: number;
}

/** Plain selection: a row for each WEC that passes the filter. */
export interface SelectCollector extends CollectorBase {
  readonly kind: 'select';
  readonly columns: readonly CompiledColumn[];
}

/** Aggregation. Without GROUP BY columns, all rows form one group. */
export interface AggregateCollector extends CollectorBase {
  readonly kind: 'aggregate';
  readonly groupBy: readonly CompiledColumn[];
  readonly combinedFields: readonly CombinedField[];
}

/** A valid StatusCollector, ready to be folded. */
export type CompiledCollector = SelectCollector | AggregateCollector;

/** A valid StatusCollector that is not kept compiled, because none of the present Bindings has room for it. */
export interface UncompiledCollector {
  readonly kind: 'uncompiled';
  /** The memory that it takes if compiled ({@link compiledBytes}). */
  readonly bytes: number;
}

/** A StatusCollector whose content has not been checked yet. It may be invalid. */
export interface UncheckedCollector {
  readonly kind: 'unchecked';
}

/** A StatusCollector that a Binding names, unless it is missing or known to be invalid. */
export type NamedCollector = CompiledCollector | UncompiledCollector | UncheckedCollector;

/** Whether a collector can be folded. */
export function isCompiled(collector: NamedCollector): collector is CompiledCollector {
  return collector.kind === 'select' || collector.kind === 'aggregate';
}

/** The input of a collector: one row of the PerWEC table. */
export interface CollectorRow {
  /** Name of the WEC. No two rows of a table have the same name. */
  readonly wec: string;
  readonly activation: Activation;
}

/**
 * The names of the output columns in the order of the spec: GROUP BY names followed by combined fields, or the selected
 * names.
 */
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

/** The memory of a collector without its expressions, and of each of its columns without its name. */
const COLLECTOR_BYTES = 500;
const COLUMN_BYTES = 200;
const CHARACTER_BYTES = 2;

/**
 * The version of {@link compiledBytes} and of the rules by which a collector is valid. Checks that were stored with another
 * version do not count. Raise it whenever the same spec may become valid or invalid, or may take another size.
 */
export const CHECK_VERSION = 2;

/** About how much memory a collector takes at most. */
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

/** Whether an expression of the collector may read this about a WEC. */
export function readsFact(collector: CompiledCollector, fact: WecFact): boolean {
  return programs(collector).some((program) => program?.facts.has(fact) === true);
}
