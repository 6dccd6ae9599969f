import { describe, expect, it } from 'vitest';
import { play } from './history.ts';
import { differences } from './oracle.ts';
import { silence } from './silence.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = 1_000;
const BATCH = 50;
const ACTIONS = 25;

/** Plays the history of one seed to its end; what is then wrong. */
async function outcome(seed: number): Promise<readonly string[]> {
  const world = worldOf(seed);
  await play(world, ACTIONS);
  await world.quiesce();
  const wrong = [...differences(world)];
  if (seed % 4 < 2) {
    await silence(world);
    await world.rest();
    wrong.push(...differences(world));
  }
  return [...wrong, ...world.failures.map(String)];
}

describe('the pipeline, simulated', () => {
  it.each(Array.from({ length: HISTORIES / BATCH }, (_, batch) => batch * BATCH))(
    'ends equal to a fresh fold after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1)
        expect({ seed, wrong: await outcome(seed) }).toEqual({ seed, wrong: [] });
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
