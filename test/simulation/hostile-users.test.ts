import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';
import { playBeside } from './beside.ts';
import { endingOf } from './ending.ts';
import { freezeTimers } from './frozen-timers.ts';
import { HOSTILE_OBJECT, HostileUsers, isOfHostileUser } from './hostile-users.ts';
import { differences } from './oracle.ts';
import { World } from './world.ts';

// biome-ignore lint/style/noProcessEnv: how long to look, and from which seed on, is for whoever starts the tests to say.
const { STARFOLD_HOSTILE_USER_SEEDS = `0:${histories({ first: 3, all: 20 })}` } = process.env;
/** `FIRST:HISTORIES` */
const [first = 0, count = 0] = STARFOLD_HOSTILE_USER_SEEDS.split(':').map(Number);
const BATCH = 10;

/** A world in which the honest ones do the same, whether there are hostile users or not. */
function worldOf(seed: number): World {
  const sharding = seed % 3 === 0 ? { unsharded: 2, late: seed % 2 === 0 } : {};
  const world = new World(seed, ['wec1', 'wec2', 'wec3'], {
    ...sharding,
    deeds: seed,
    narrow: seed % 5 === 0,
    // Each death is a receipt: what ends its process is set aside at the second one.
    ...(seed % 4 === 0 ? { maxReceives: 1_000_000 } : {}),
  });
  if (seed % 4 === 0) world.poisoned.add(HOSTILE_OBJECT);
  return world;
}

/** Differences of the honest ones from what a fresh look at everything has. */
function honestDifferences(world: World): readonly string[] {
  const hostile = world.wds.objects().filter(({ ref }) => isOfHostileUser(ref.name));
  const names = hostile.flatMap(({ ref, object }) => [
    ref.name,
    `${at(object, 'metadata', 'uid')}.`,
    `.${at(object, 'metadata', 'uid')} `,
  ]);
  return differences(world).filter((line) => !names.some((name) => line.includes(name)));
}

/** What the honest ones have come to. */
async function ending(world: World, hostile?: HostileUsers): Promise<unknown> {
  const { random } = world.scheduler;
  for (const forwarder of world.forwarders) forwarder.start();
  await playBeside(world, {
    act: () => {
      const many = random.below(3);
      for (let act = 0; act <= many; act += 1) hostile?.act(world);
    },
  });
  await world.quiesce();
  return { ending: await endingOf(world), wrong: honestDifferences(world) };
}

freezeTimers();

describe('hostile users of a WDS beside honest ones, simulated', () => {
  it.each(Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => first + batch * BATCH))(
    'leave the end of the honest ones as it is without them in the histories of seeds %i and following',
    async (start) => {
      for (let seed = start; seed < Math.min(start + BATCH, first + count); seed += 1) {
        const without = await ending(worldOf(seed));
        const beside = await ending(worldOf(seed), new HostileUsers(seed));
        expect({ seed, beside }).toEqual({ seed, beside: without });
        expect({ seed, beside }).toMatchObject({ seed, beside: { wrong: [] } });
      }
    },
  );

  it('have their results shown to them beside those of the honest ones', async () => {
    const world = worldOf(1);
    await ending(world, new HostileUsers(1));
    const shown = world.wds
      .objects()
      .filter(({ ref }) => ref.resource === 'combinedstatuses')
      .map(({ object }) =>
        String(at(object, 'metadata', 'labels', 'status.kubestellar.io/binding-policy')),
      );
    expect(shown.some(isOfHostileUser)).toBe(true);
    expect(shown.every(isOfHostileUser)).toBe(false);
  });
});
