import { describe, expect, it } from 'vitest';
import { batches, histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { outcome } from './outcome.ts';
import { worldOf } from './worlds.ts';

const BATCH = 25;
/** How many things happen in a history. */
export const ACTIONS = 25;

/** The tests of a quarter of 1,000 histories, from this seed on: each quarter is a file, so that all cores have some. */
export function convergence({ from }: { readonly from: number }) {
  const count = histories({ first: 25, all: 250 });
  freezeTimers();
  describe('the pipeline, simulated', () => {
    it.each(batches(count, BATCH, from))(
      'ends equal to a fresh fold after the histories of seeds %i and following',
      async (first) => {
        for (let seed = first; seed < first + BATCH; seed += 1) {
          const wrong = await outcome(worldOf(seed), { actions: ACTIONS, silence: seed % 4 < 2 });
          expect({ seed, wrong }).toEqual({ seed, wrong: [] });
        }
      },
    );
  });
}
