import { expect, it } from 'vitest';
import { ACTIONS, convergence } from './convergence.ts';
import { play } from './history.ts';
import { worldOf } from './worlds.ts';

convergence({ from: 0 });

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
