import { describe, expect, it } from 'vitest';
import { at, isArray } from '#shared/core/json.ts';
import { batches, histories } from '#test/histories.ts';
import { freezeTimers } from './frozen-timers.ts';
import { play } from './history.ts';
import { differences } from './oracle.ts';
import { outcome } from './outcome.ts';
import type { World } from './world.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = histories({ first: 5, all: 100 });
const BATCH = Math.min(10, HISTORIES);
const ACTIONS = 25;

/** Names of the Bindings that say of an object that they do not count for it. */
function refused(world: World): readonly string[] {
  return world.wds.objects().flatMap(({ ref, object }) => {
    const errors = at(object, 'status', 'errors');
    const tells =
      isArray(errors) && errors.some((error) => String(error).includes('oldest Bindings'));
    return ref.resource === 'bindings' && tells ? [ref.name] : [];
  });
}

freezeTimers();

describe('more Bindings than count for an object', () => {
  it.each(batches(HISTORIES, BATCH))(
    'end as a fresh look at the oldest has it, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = worldOf(seed, { crowded: true });
        const wrong = await outcome(world, { actions: ACTIONS, silence: seed % 4 < 2 });
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
    },
  );

  it('are told so, and no longer when those that count go', async () => {
    const world = worldOf(0, { crowded: true });
    await play(world, ACTIONS);
    await world.quiesce();
    const before = refused(world);
    expect(before.length).toBeGreaterThan(0);
    for (const { ref } of world.wds.objects())
      if (ref.resource === 'bindings' && !before.includes(ref.name)) world.wds.remove(ref);
    await world.quiesce();
    expect(refused(world).length).toBeLessThan(before.length);
    expect(differences(world)).toEqual([]);
  });
});
