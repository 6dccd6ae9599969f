import { describe, expect, it } from 'vitest';
import { differences } from './differences.ts';
import { exportAll } from './export.ts';
import { printedTwice } from './fresh.ts';
import { play } from './history.ts';
import { World } from './world.ts';

const HISTORIES = 25;
/** So long the pipeline may need to come to rest after the last change, and then to be right. */
const PATIENCE_MS = 30_000;

/** Everything that is wrong when nothing moves any more; what is soon right was not at rest yet. */
async function outcome(world: World): Promise<readonly string[]> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    await world.quiet(deadline + PATIENCE_MS);
    const wrong = await differences(world);
    if (wrong.length === 0 || Date.now() > deadline) return wrong;
  }
}

/** Plays the history of one seed to its end; what has happened. */
async function lifeCycle(world: World, seed: number): Promise<string> {
  const happened = [`seed ${seed}`];
  await play(world, seed, (text) => happened.push(text));
  return happened.join('\n');
}

const SEEDS = Array.from({ length: HISTORIES }, (_, index) => 1 + index);

describe('a random life of everything in a WDS', () => {
  it.concurrent.each(SEEDS)(
    'ends, after the history of seed %i, in the state that starfold eval prints',
    async (seed) => {
      await using world = await World.start(seed % 2 === 0 ? 'wds' : 'its');
      const happened = await lifeCycle(world, seed);
      expect(await outcome(world), happened).toEqual([]);
    },
  );

  it.concurrent('is printed by the command, from files, as it is compared here', async () => {
    await using world = await World.start('its');
    const happened = await lifeCycle(world, HISTORIES + 1);
    await world.quiet(Date.now() + PATIENCE_MS);
    const { command, inProcess } = await printedTwice(await exportAll(world), Date.now());
    expect(inProcess.length).toBeGreaterThan(1_000);
    expect(command, happened).toBe(inProcess);
  });
});
