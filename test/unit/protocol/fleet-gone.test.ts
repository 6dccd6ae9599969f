import { describe, expect, it } from 'vitest';
import { countDifferences, readDifferences } from '#shared/state/fleet/differences.ts';
import { bundle, fleetRef, put } from '#test/simulation/fleet-objects.ts';
import { UPSTREAM, World } from '#test/simulation/world.ts';

const GONE = fleetRef('bundles', 'one');

/** A world at rest, in which Fleet's own status of a Bundle is not what it should be. */
async function differing(seed: number): Promise<World> {
  const world = new World(seed, [], { fleet: 'compare' });
  const { metadata: _metadata, kind: _kind, ...rest } = bundle(world.scheduler.random);
  put(world, GONE, {
    ...rest,
    kind: 'Bundle',
    metadata: {},
    status: { summary: { ready: 99 } },
  });
  await world.quiesce();
  return world;
}

async function told(world: World): Promise<readonly unknown[]> {
  const { objects } = await readDifferences(world.store, UPSTREAM);
  return [
    objects.map(({ subject }) => subject.name),
    await countDifferences(world.store, UPSTREAM),
  ];
}

describe('an object that differs', () => {
  it('is no longer reported when it is deleted', async () => {
    const world = await differing(1);
    expect(await told(world)).toEqual([['one'], 1]);
    world.upstream.remove(GONE);
    await world.quiesce();
    expect(await told(world)).toEqual([[], 0]);
  });

  it.each([1, 2, 3, 4])(
    'is no longer reported when it is deleted while the forwarder is down (seed %i)',
    async (seed) => {
      const world = await differing(seed);
      expect(await told(world)).toEqual([['one'], 1]);
      for (const forwarder of world.forwarders) forwarder.crash();
      world.upstream.remove(GONE);
      await world.rest();
      expect(await told(world)).toEqual([['one'], 1]);
      await world.quiesce();
      expect(await told(world)).toEqual([[], 0]);
      expect(world.failures).toEqual([]);
    },
  );
});
