import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { MAX_COLLECTOR_STEPS } from '#shared/core/limits.ts';
import { type CollectorResult, failedResult } from './collector-result.ts';
import type { CollectorRow } from './compiled-collector.ts';
import { expensiveCollector } from './messages.ts';
import { RowEvaluation } from './row-evaluation.ts';
import type { CollectorShare } from './share.ts';

/** A {@link Fold} of rows that are being evaluated. */
export interface EvaluatedFold<Part extends JsonValue> {
  readonly empty: Part;
  lift(evaluation: RowEvaluation): Part;
  merge(a: Part, b: Part): Part;
  finish(part: Part): CollectorResult;
}

/**
 * A part with its number of rows and the steps that their evaluation took, which are at most the limit. If the steps
 * exceed the limit, there is no part, regardless of the other rows.
 */
export type PricedPart<Part extends JsonValue> = {
  readonly rows: number;
  readonly steps: number;
  readonly part: Part | null;
};

const OVER = MAX_COLLECTOR_STEPS + 1;

function over(rows: number): PricedPart<never> {
  return { rows, steps: OVER, part: null };
}

/**
 * The fold of a collector with a limit on its steps. If all rows together take more than {@link MAX_COLLECTOR_STEPS},
 * the result is an error that gives the number of rows and the limit. A lifter stops evaluating as soon as its own rows
 * exceed the limit.
 */
export function pricedFold<Part extends JsonValue>(
  fold: EvaluatedFold<Part>,
  share: CollectorShare,
): Fold<CollectorRow, PricedPart<Part>, CollectorResult> {
  const lift = (row: CollectorRow): PricedPart<Part> => {
    const evaluation = new RowEvaluation(row, share);
    const part = fold.lift(evaluation);
    return { rows: 1, steps: evaluation.steps, part };
  };
  return {
    empty: { rows: 0, steps: 0, part: fold.empty },
    lift,
    lifter() {
      let spent = 0;
      return (row) => {
        if (spent > MAX_COLLECTOR_STEPS) return over(1);
        const lifted = lift(row);
        spent += lifted.steps;
        return lifted;
      };
    },
    merge(a, b) {
      const rows = a.rows + b.rows;
      const steps = a.steps + b.steps;
      if (a.part === null || b.part === null || steps > MAX_COLLECTOR_STEPS) return over(rows);
      return { rows, steps, part: fold.merge(a.part, b.part) };
    },
    finish: ({ rows, part }) =>
      part === null
        ? failedResult(expensiveCollector(rows, MAX_COLLECTOR_STEPS, share.steps))
        : fold.finish(part),
  };
}
