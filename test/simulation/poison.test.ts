import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { readSetAside } from '#shared/state/set-aside.ts';
import { batches, histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { entryDifferences } from './named.ts';
import { find, workloads } from './objects.ts';
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
});
