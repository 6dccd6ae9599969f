import type {
  Budget,
  Evaluation,
  ExpressionValue,
  Program,
} from '#shared/core/expression/expression.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_CELL_BYTES } from '#shared/core/limits.ts';
import { type ColumnErrors, columnError, FILTER_COLUMN } from './column-errors.ts';
import type { CollectorRow } from './compiled-collector.ts';
import { expensiveShare, filterValue, largeCell, notEvaluated } from './messages.ts';
import { type CollectorShare, WHOLE_SHARE } from './share.ts';
import { NULL_VALUE, toValue, type Value } from './value.ts';

/** The evaluation of one row by a collector. The expressions share one budget, and their errors are kept. */
export class RowEvaluation {
  /** In the order of evaluation, which is the order of the columns. At most one for each column. */
  readonly errors: ColumnErrors[] = [];
  readonly #row: CollectorRow;
  readonly #share: CollectorShare;
  readonly #budget: Budget;

  constructor(row: CollectorRow, share: CollectorShare = WHOLE_SHARE) {
    this.#row = row;
    this.#share = share;
    this.#budget = { remaining: share.steps, exceeded: false };
  }

  /** Name of the row's WEC. */
  get wec(): string {
    return this.#row.wec;
  }

  /** The whole number of steps that the expressions have taken on this row. At most the steps of the share. */
  get steps(): number {
    const { steps } = this.#share;
    return Math.min(Math.ceil(steps - this.#budget.remaining), steps);
  }

  /** The value of a column's expression. If it has no value, the result is `undefined`, and the column has an error. */
  evaluate(column: number, program: Program): ExpressionValue | undefined {
    const evaluation = this.#run(program);
    if (evaluation.ok) return evaluation.value;
    this.fail(column, evaluation.error);
    return undefined;
  }

  /**
   * The cell of a column's expression. If it has no value, or one larger than {@link MAX_CELL_BYTES}, the cell is
   * `Null`, and the column has an error.
   */
  cell(column: number, program: Program): Value {
    const value = this.evaluate(column, program);
    if (value === undefined) return NULL_VALUE;
    const cell = toValue(value);
    if (jsonBytes(cell, MAX_CELL_BYTES) <= MAX_CELL_BYTES) return cell;
    this.fail(column, largeCell(MAX_CELL_BYTES));
    return NULL_VALUE;
  }

  /** Records an error of a column. */
  fail(column: number, error: string): void {
    this.errors.push(columnError(column, this.#row.wec, error));
  }

  /**
   * Whether the row passes the filter. Null is false. Any value that is not a bool is an error, and the row is left out
   * (KubeStellar, `StatusCollectorSpec.filter`; docs/architecture.md, section 9.6).
   */
  passes(filter: Program | undefined): boolean {
    if (filter === undefined) return true;
    const value = this.evaluate(FILTER_COLUMN, filter);
    if (value === undefined || value.type === 'null') return false;
    if (value.type === 'bool') return value.value;
    this.fail(FILTER_COLUMN, filterValue(value.type));
    return false;
  }

  #run(program: Program): Evaluation {
    const { steps, reason } = this.#share;
    try {
      const evaluation = program.evaluate(this.#row.activation, this.#budget);
      if (evaluation.ok || reason === undefined || !this.#budget.exceeded) return evaluation;
      return { ok: false, error: expensiveShare(steps, reason) };
    } catch (error) {
      // No program throws. If the engine itself fails (stack, memory), this is an error of one column.
      return { ok: false, error: notEvaluated(error) };
    }
  }
}
