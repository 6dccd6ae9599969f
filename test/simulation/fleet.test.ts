import { describe, expect, it } from 'vitest';
import type { FleetMode } from '#shared/core/fleet-object.ts';
import { batches, histories } from '#test/histories.ts';
import { FLEET_PLOT } from './fleet-history.ts';
import { fleetDifferences, wronglyTold } from './fleet-oracle.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { World } from './world.ts';

const HISTORIES = histories({ first: 5, all: 100 });
const COMPARED = histories({ first: 5, all: 40 });
const BATCH = Math.min(10, HISTORIES);
/** Short histories show what a later change would make good. */
const ACTIONS = [20, 6] as const;

/**
 * Every second world folds in shards whatever has more than one row, every second one of these a shard in an invocation; in
 * every third all meets at one object.
 */
async function played(seed: number, fleet: FleetMode): Promise<World> {
  const sharding = seed % 2 === 0 ? {} : { unsharded: 1, late: seed % 4 === 1 };
  const world = new World(seed, [], { fleet, ...sharding, narrow: seed % 3 === 2 });
  await play(world, ACTIONS[seed % 4 < 2 ? 0 : 1], FLEET_PLOT);
  await world.quiesce();
  return world;
}

/** Writes before everything that stood was told once. */
function writtenEarly({ scheduler }: World): readonly string[] {
  const listed = scheduler.trace.findIndex((step) => step.includes('put E#fleet/rancher LISTED'));
  return scheduler.trace.slice(0, Math.max(listed, 0)).filter((step) => step.includes(': STATUS '));
}

freezeTimers();

describe('the pipeline of Fleet, simulated', () => {
  it.each(batches(HISTORIES, BATCH))(
    'ends with the statuses of a fresh computation after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = await played(seed, 'write');
        const wrong = [...fleetDifferences(world), ...world.failures.map(String)];
        expect({ seed, wrong, early: writtenEarly(world) }).toEqual({ seed, wrong: [], early: [] });
      }
    },
  );

  it.each(batches(COMPARED, BATCH))(
    'tells what differs from a fresh computation, and writes nothing, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = await played(seed, 'compare');
        const wrong = [...(await wronglyTold(world)), ...world.failures.map(String)];
        const written = world.scheduler.trace.filter((step) => step.includes(': STATUS '));
        expect({ seed, wrong, written }).toEqual({ seed, wrong: [], written: [] });
      }
    },
  );
});
