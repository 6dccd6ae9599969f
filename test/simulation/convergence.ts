import { describe, expect, it } from 'vitest';
import { batches, histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { outcome } from './outcome.ts';
import { worldOf } from './worlds.ts';

/** How many things happen in a history. */
export const ACTIONS = 25;

/** The tests of the histories from a seed on. There are four files of them, so that all cores have some. */
export function convergence({ from }: { readonly from: number }) {
  const count = histories({ first: 10, all: 100 });
  const size = Math.min(25, count);
  freezeTimers();
  describe('the pipeline, simulated', () => {
    it.each(batches(count, size, from))(
      'ends equal to a fresh fold after the histories of seeds %i and following',
      async (first) => {
        for (let seed = first; seed < first + size; seed += 1) {
          const wrong = await outcome(worldOf(seed), { actions: ACTIONS, silence: seed % 4 < 2 });
          expect({ seed, wrong }).toEqual({ seed, wrong: [] });
        }
      },
    );
  });
}
