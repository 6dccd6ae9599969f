import type { Budget } from './expression.ts';
import { UNITS_PER_STEP } from './prices.ts';
import { CelError } from './value.ts';

/** The result of an evaluation that has exceeded its budget, in cel-go's words for its cost limit. */
export const OVER_BUDGET = new CelError('operation cancelled: actual cost limit exceeded');

/** Takes steps from a budget. Returns false once the budget is exceeded. */
export function spend(budget: Budget, steps: number): boolean {
  budget.remaining -= steps;
  if (budget.remaining < 0) budget.exceeded = true;
  return !budget.exceeded;
}

/** Pays for units of a kind of work before the work is done. Returns false once the budget is exceeded. */
export function pay(budget: Budget, work: keyof typeof UNITS_PER_STEP, units: number): boolean {
  return spend(budget, units / UNITS_PER_STEP[work]);
}

/** The steps of an evaluation, or of an iteration, of an expression with this number of parts. */
export function stepsOfParts(parts: number): number {
  return Math.ceil(parts / UNITS_PER_STEP.parts);
}
