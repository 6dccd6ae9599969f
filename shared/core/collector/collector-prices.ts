import type { Program } from '#shared/core/expression/expression.ts';
import { MAX_PATTERNS_SIZE, MAX_STEPS } from '#shared/core/expression/prices.ts';
import { expensiveRow, largePatternsOfCollector } from './messages.ts';

/**
 * Sums the fewest steps of the expressions of a collector in the order in which a row is evaluated: the filter, then
 * the columns. The expressions share one budget, so an expression may be too expensive only because of those before it.
 */
export class CollectorPrices {
  #steps = 0;
  #patterns = 0;
  #exceeded = false;

  /** Whether an expression was too expensive. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Adds the next expression. Returns an error if it cannot be evaluated with any data. */
  add({
    leastSteps: { value, failure },
    patternsSize,
  }: Pick<Program, 'leastSteps' | 'patternsSize'>): string | undefined {
    const steps = this.#steps + value;
    this.#patterns += patternsSize;
    // If an expression fails, the expressions after it are still evaluated.
    this.#steps += Math.min(value, failure);
    const problem = problemOf(steps, this.#patterns);
    this.#exceeded = problem !== undefined;
    return problem;
  }

  /**
   * Adds the patterns of an expression that cannot be used. Compiling them has taken as long as if it could be. Returns
   * an error if no more expressions may be compiled.
   */
  addFailed(patternsSize: number): string | undefined {
    this.#patterns += patternsSize;
    const problem = problemOf(this.#steps, this.#patterns);
    this.#exceeded = problem !== undefined;
    return problem;
  }
}

function problemOf(steps: number, patterns: number): string | undefined {
  if (steps > MAX_STEPS) return expensiveRow(Math.ceil(steps), MAX_STEPS);
  return patterns > MAX_PATTERNS_SIZE
    ? largePatternsOfCollector(patterns, MAX_PATTERNS_SIZE)
    : undefined;
}
