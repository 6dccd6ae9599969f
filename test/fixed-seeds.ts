import { randomInt } from 'node:crypto';
import { env } from 'node:process';
import fc from 'fast-check';

/**
 * Gives each property a fixed seed, so that a run of the tests is the same on every machine. `STARFOLD_SEED` names another
 * seed; `STARFOLD_SEED=fresh` draws one for each file. If a property fails, fast-check prints the seed.
 */
function chosenSeed(): number {
  const { STARFOLD_SEED: given = '1' } = env;
  if (given === 'fresh') return randomInt(2 ** 31);
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new Error(`STARFOLD_SEED is ${given}: give a number of at most nine digits, or "fresh"`);
}

fc.configureGlobal({ seed: chosenSeed() });
