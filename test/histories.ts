import { env } from 'node:process';

/**
 * How many random histories or sets of WECs a test draws: with `STARFOLD_HISTORIES=all` all of them, as `.ci/run` does, and
 * otherwise the first ones.
 *
 * @throws Error if `STARFOLD_HISTORIES` is anything else
 */
export function histories(count: { readonly first: number; readonly all: number }): number {
  const { STARFOLD_HISTORIES: chosen = 'first' } = env;
  if (chosen !== 'first' && chosen !== 'all')
    throw new Error(`STARFOLD_HISTORIES is ${chosen}: give "all" or "first"`);
  return count[chosen];
}
