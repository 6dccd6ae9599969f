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

/**
 * The first seeds of batches, each of which is one test.
 *
 * @param count how many seeds there are: whole batches
 * @throws RangeError if there is no batch, or if the last one is not whole: its seeds would be left out
 */
export function batches(count: number, size: number, first = 0): readonly number[] {
  if (!(count > 0) || count % size !== 0)
    throw new RangeError(`${count} histories are not one or more batches of ${size}`);
  return Array.from({ length: count / size }, (_, batch) => first + batch * size);
}
