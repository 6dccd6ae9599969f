import { describe, expect, it } from 'vitest';
import { createExpiringItemStore } from '#test/fakes/memory-item-store.ts';
import { batches, histories } from '#test/histories.ts';
import { type MakeBackend, memoryBackend } from './backend.ts';
import { listAnew, passDays, unnamedRows } from './days.ts';
import { freezeTimers } from './frozen-timers.ts';
import {
  type Action,
  begin,
  crash,
  forwarderTrouble,
  overtake,
  setBinding,
  setReturned,
  setWorkload,
  trouble,
  work,
} from './history.ts';
import { controlRef, workloads } from './objects.ts';
import { differences } from './oracle.ts';
import type { Random } from './scheduler.ts';
import { World } from './world.ts';

const HISTORIES = histories({ first: 4, all: 80 });
const BATCH = Math.min(10, HISTORIES);
const ACTIONS = 16;
const WECS = ['wec1', 'wec2', 'wec3'];
/** After so many days without a Binding, a row goes. */
const DAYS = 15;

/** A user deletes a Binding, so that it names nothing. */
const unbind: Action = (world) => {
  world.wds.remove(controlRef('bindings', world.deeds.pick(['b1', 'b2'])));
};

const MIXTURE: readonly Action[] = [
  setBinding,
  unbind,
  unbind,
  setReturned,
  setReturned,
  setWorkload,
  forwarderTrouble,
  crash,
  overtake,
];

/** A store from which what has expired is removed, as DynamoDB does at some time. */
function expiring(): { readonly backend: MakeBackend; removeExpired(nowMs: number): void } {
  const store = createExpiringItemStore();
  return {
    backend: (...given) => ({ ...memoryBackend(...given), store }),
    removeExpired: (nowMs) => store.removeExpired(Math.floor(nowMs / 1000)),
  };
}

type RemoveExpired = (nowMs: number) => void;
type Pace = Parameters<typeof work>[1];

/** Days pass, and everything is listed anew, while Bindings come and go. How many rows of unnamed objects have gone. */
async function playListing(world: World, how: Pace, removeExpired: RemoveExpired): Promise<number> {
  const { random } = world.scheduler;
  await passDays(world, anyDays(random));
  if (random.chance(0.5)) removeExpired(world.scheduler.now);
  const before = await unnamedRows(world);
  for (const forwarder of world.forwarders)
    if (forwarder.running) forwarder.endListing(forwarder.relist());
  if (random.chance(0.5)) random.pick([setBinding, unbind])(world);
  await work(world, how);
  await world.rest();
  const after = new Set(await unnamedRows(world));
  return before.filter((row) => !after.has(row)).length;
}

/**
 * Bindings, objects and what WECs report change, invocations die, and days pass. How many rows of objects that no Binding names
 * have gone.
 */
async function playDays(world: World, removeExpired: RemoveExpired): Promise<number> {
  const { random } = world.scheduler;
  const how = { busy: 2 + random.below(6), crashes: random.pick([0, 0.01, 0.05]) };
  let gone = 0;
  for (const forwarder of world.forwarders) forwarder.start();
  begin(world);
  for (let action = 0; action < ACTIONS; action += 1) {
    random.pick(MIXTURE)(world);
    await work(world, how);
    if (random.chance(0.4)) gone += await playListing(world, how, removeExpired);
  }
  await trouble(world);
  await world.quiesce();
  return gone;
}

function anyDays(random: Random): number {
  return random.pick([1, DAYS - 1, DAYS, DAYS + 1]);
}

freezeTimers();

describe('days in which Bindings name objects and no longer name them, simulated', () => {
  it.each(batches(HISTORIES, BATCH))(
    'take the rows of objects that no Binding names, and after the next listing those that one names say what they should, in the histories of seeds %i and following',
    async (first) => {
      let gone = 0;
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const { backend, removeExpired } = expiring();
        const sharding = seed % 2 === 0 ? { unsharded: 2, late: seed % 4 === 0 } : {};
        const world = new World(seed, WECS, { backend, narrow: seed % 5 === 0, ...sharding });
        gone += await playDays(world, removeExpired);
        await listAnew(world);
        const named = differences(world);

        await passDays(world, DAYS);
        await listAnew(world);
        const left = await unnamedRows(world);

        for (const _ref of workloads(world)) setBinding(world);
        await world.rest();
        removeExpired(world.scheduler.now);
        await listAnew(world);
        const wrong = [...differences(world), ...world.failures.map(String)];
        expect({ seed, named, left, wrong }).toEqual({ seed, named: [], left: [], wrong: [] });
      }
      expect(gone).toBeGreaterThan(BATCH / 2);
    },
  );
});
