import type { Budget, ExpressionValue, Program } from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { type ColumnErrors, columnError, FILTER_COLUMN } from './column-errors.ts';
import type { CollectorRow } from './compiled-collector.ts';

/** The steps that all expressions of one collector may take together on one row (docs/cel.md, "Limits"). */
export const EVALUATION_STEPS_PER_ROW = MAX_STEPS;

/** One row on its way through a collector: its expressions share one budget, and their errors are kept. */
export class RowEvaluation {
  /** In the order of evaluation, which is the order of the columns; at most one for each column. */
  readonly errors: ColumnErrors[] = [];
  readonly #row: CollectorRow;
  readonly #budget: Budget = { remaining: EVALUATION_STEPS_PER_ROW, exceeded: false };

  constructor(row: CollectorRow) {
    this.#row = row;
  }

  /** The steps that the expressions have taken so far; a fraction counts. */
  get steps(): number {
    return EVALUATION_STEPS_PER_ROW - this.#budget.remaining;
  }

  /** The value of a column's expression; `undefined` where it has none, which is then an error of the column. */
  evaluate(column: number, program: Program): ExpressionValue | undefined {
    const evaluation = program.evaluate(this.#row.activation, this.#budget);
    if (evaluation.ok) return evaluation.value;
    this.fail(column, evaluation.error);
    return undefined;
  }

  /** Notes an error of a column. */
  fail(column: number, error: string): void {
    this.errors.push(columnError(column, this.#row.wec, error));
  }

  /**
   * Whether the filter lets the row pass. Null is false; any other value than a bool is an error and the row is left
   * out (KubeStellar, `StatusCollectorSpec.filter`; design, section 9.6).
   */
  passes(filter: Program | undefined): boolean {
    if (filter === undefined) return true;
    const value = this.evaluate(FILTER_COLUMN, filter);
    if (value === undefined || value.type === 'null') return false;
    if (value.type === 'bool') return value.value;
    this.fail(FILTER_COLUMN, `the filter gave a value of type ${value.type}, not a bool`);
    return false;
  }
}
