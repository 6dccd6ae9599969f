import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { readOldestMemberships } from '#shared/state/membership.ts';
import { nextTryMs, readSetAside, readSetAsideOf, type SetAside } from '#shared/state/set-aside.ts';
import { batches, histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play, trouble } from './history.ts';
import { entryDifferences } from './named.ts';
import { bindings, controlRef, find, workloads } from './objects.ts';
import { differences } from './oracle.ts';
import { World } from './world.ts';

const HISTORIES = histories({ first: 5, all: 30 });
const BATCH = Math.min(15, HISTORIES);
const ACTIONS = 12;
const POISONED = 'W#wds1/apps/deployments/shop/web';

/** What differs of the others: what a status says of the poisoned one is as it was before. */
function othersDiffer(world: World): readonly string[] {
  const [poisoned] = workloads(world);
  const uid = poisoned && at(find(world.wds, poisoned), 'metadata', 'uid');
  const isPoisoned = (line: string): boolean =>
    line.startsWith('deployments/web') ||
    line.includes(`${uid}.`) ||
    (line.startsWith('Binding ') && line.includes('is set aside'));
  return differences(world).filter((line) => !isPoisoned(line));
}

async function poisonedWorld(seed: number): Promise<World> {
  const sharding = seed % 2 === 0 ? {} : { unsharded: 2 };
  const options = { ...sharding, maxReceives: 1_000_000 };
  const world = new World(seed, ['wec1', 'wec2', 'wec3', 'wec4'], options);
  world.poisoned.add(POISONED);
  await play(world, ACTIONS);
  await world.quiesce();
  return world;
}

/** Five minutes, and what passes until an invocation that died is found and a sweep comes. */
const SOON_MS = 1_000_000;

/** Lets it end processes until its pause is an hour. */
async function age(world: World): Promise<SetAside | undefined> {
  for (;;) {
    const entry = await readSetAsideOf(world.store, POISONED);
    if (entry === undefined || entry.times >= 7) return entry;
    world.pass(Math.max(0, nextTryMs(entry) - world.scheduler.now));
    world.sweepStale();
    await world.rest();
  }
}

/**
 * Deletes all Bindings while it is set aside, and lets invocations die meanwhile. Returns how long after its last end it is tried,
 * or will be; nothing if no Binding named it.
 */
async function pauseWithoutBindings(world: World): Promise<readonly number[]> {
  const before = await age(world);
  const { counted } = await readOldestMemberships(world.store, POISONED);
  for (const ref of bindings(world).map((name) => controlRef('bindings', name)))
    if (find(world.wds, ref) !== undefined) world.wds.remove(ref);
  await trouble(world);
  await world.quiesce();
  const entry = await readSetAsideOf(world.store, POISONED);
  if (entry === undefined || before === undefined || counted.length === 0) return [];
  const isTried = entry.times > before.times;
  return [(isTried ? entry.lastMs : nextTryMs(entry)) - before.lastMs];
}

freezeTimers();

describe('a workload object that ends every process that folds it, simulated', () => {
  it.each(batches(HISTORIES, BATCH))(
    'leaves the others as they are without it, and is right when it is well again, after the histories of seeds %i and following',
    async (first) => {
      let aside = 0;
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = await poisonedWorld(seed);
        const entries = await readSetAside(world.store);
        if (entries.some(({ pk }) => pk === POISONED)) aside += 1;
        expect({ seed, wrong: othersDiffer(world) }).toEqual({ seed, wrong: [] });
        world.poisoned.clear();
        await world.rest();
        const wrong = [
          ...differences(world),
          ...(await entryDifferences(world)),
          ...world.failures.map(String),
        ];
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
      expect(aside).toBeGreaterThan(BATCH / 2);
    },
  );

  it.each(batches(HISTORIES, BATCH))(
    'is tried soon after its Bindings are deleted, though its pause was an hour, after the histories of seeds %i and following',
    async (first) => {
      const pauses: number[] = [];
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = await poisonedWorld(seed);
        pauses.push(...(await pauseWithoutBindings(world)));
        world.poisoned.clear();
        await world.rest();
        const wrong = [...differences(world), ...world.failures.map(String)];
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
      // If two invocations died with a Binding, the Binding waits too, and an hour passes at once.
      expect(pauses.filter((ms) => ms <= SOON_MS).length).toBeGreaterThan(BATCH / 2);
    },
  );
});
