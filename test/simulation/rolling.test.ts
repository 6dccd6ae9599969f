import { describe, expect, it } from 'vitest';
import { batches, histories } from '#test/histories.ts';
import { outcome } from './outcome.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = histories({ first: 5, all: 40 });
const BATCH = Math.min(10, HISTORIES);
const ACTIONS = 25;

describe('a rolling deployment, old and new functions side by side', () => {
  it.each(batches(HISTORIES, BATCH))(
    'ends as a fresh look has it, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = worldOf(seed, { rolling: true });
        const wrong = await outcome(world, { actions: ACTIONS, silence: seed % 4 < 2 });
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
    },
  );
});
