import type { Budget } from './expression.ts';
import { UNITS_PER_STEP } from './prices.ts';
import { CelError } from './value.ts';

/** What an evaluation gives once its budget is exceeded; cel-go's words for its cost limit. */
export const OVER_BUDGET = new CelError('operation cancelled: actual cost limit exceeded');

/** Takes steps from a budget; false once it is exceeded. */
export function spend(budget: Budget, steps: number): boolean {
  budget.remaining -= steps;
  if (budget.remaining < 0) budget.exceeded = true;
  return !budget.exceeded;
}

/** Pays, before the work is done, for so many units of a kind of work; false once the budget is exceeded. */
export function pay(budget: Budget, work: keyof typeof UNITS_PER_STEP, units: number): boolean {
  return spend(budget, units / UNITS_PER_STEP[work]);
}

/** The steps of an evaluation, or of an iteration, of so many parts of an expression. */
export function stepsOfParts(parts: number): number {
  return Math.ceil(parts / UNITS_PER_STEP.parts);
}
