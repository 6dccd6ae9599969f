import type { Budget } from './expression.ts';
import { CelError } from './value.ts';

/** What an evaluation gives once its budget is exceeded; cel-go's words for its cost limit. */
export const OVER_BUDGET = new CelError('operation cancelled: actual cost limit exceeded');

/** How much an operation does for one step. Memory is dearer than time, and comparing elements than scanning text. */
const CHARACTERS_READ = 1024;
const CHARACTERS_WRITTEN = 256;
const ELEMENTS_READ = 16;
const ELEMENTS_WRITTEN = 4;

/** Takes steps from a budget; false once it is exceeded. */
export function spend(budget: Budget, steps: number): boolean {
  budget.remaining -= steps;
  if (budget.remaining < 0) budget.exceeded = true;
  return !budget.exceeded;
}

/** Pays for scanning characters (of a regular expression: characters times instructions). */
export function spendReading(budget: Budget, characters: number): boolean {
  return spend(budget, characters / CHARACTERS_READ);
}

/** Pays, beforehand, for a text or byte sequence that is about to be made. */
export function spendWriting(budget: Budget, characters: number): boolean {
  return spend(budget, characters / CHARACTERS_WRITTEN);
}

/** Pays for comparing elements. */
export function spendComparing(budget: Budget, elements: number): boolean {
  return spend(budget, elements / ELEMENTS_READ);
}

/** Pays, beforehand, for a list or map that is about to be made. */
export function spendBuilding(budget: Budget, elements: number): boolean {
  return spend(budget, elements / ELEMENTS_WRITTEN);
}
