import { describe, expect, it } from 'vitest';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { outcome } from './outcome.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = 1_000;
const BATCH = 25;
const ACTIONS = 25;

freezeTimers();

describe('the pipeline, simulated', () => {
  it.each(Array.from({ length: HISTORIES / BATCH }, (_, batch) => batch * BATCH))(
    'ends equal to a fresh fold after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const wrong = await outcome(worldOf(seed), { actions: ACTIONS, silence: seed % 4 < 2 });
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
    },
  );

  it('gives the same trace for the same seed', async () => {
    const traces: string[][] = [];
    for (let run = 0; run < 2; run += 1) {
      const world = worldOf(7);
      await play(world, ACTIONS);
      await world.quiesce();
      traces.push(world.scheduler.trace);
    }
    expect(traces[0]?.length).toBeGreaterThan(100);
    expect(traces[1]).toEqual(traces[0]);
  });
});
