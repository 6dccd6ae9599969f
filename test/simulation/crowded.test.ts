import { describe, expect, it } from 'vitest';
import { at, isArray } from '#shared/core/json.ts';
import { play } from './history.ts';
import { differences } from './oracle.ts';
import { outcome } from './outcome.ts';
import { worldOf } from './worlds.ts';

const HISTORIES = 300;
const BATCH = 25;
const ACTIONS = 25;

describe('more Bindings than count for an object', () => {
  it.each(Array.from({ length: HISTORIES / BATCH }, (_, batch) => batch * BATCH))(
    'end as a fresh look at the oldest has it, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = worldOf(seed, { crowded: true });
        const wrong = await outcome(world, { actions: ACTIONS, silence: seed % 4 < 2 });
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
    },
  );

  it('are told so, and no longer when older ones go', async () => {
    const world = worldOf(6, { crowded: true });
    await play(world, ACTIONS);
    await world.quiesce();
    const bindings = () =>
      world.wds.objects().filter(({ ref: { resource } }) => resource === 'bindings');
    const refused = () =>
      bindings().filter(({ object }) => {
        const errors = at(object, 'status', 'errors');
        return isArray(errors) && errors.some((error) => String(error).includes('oldest Bindings'));
      });
    const [before, count] = [refused().length, bindings().length];
    expect(before).toBeGreaterThan(0);
    const isRefused = new Set(refused().map(({ ref }) => ref.name));
    for (const { ref } of bindings()) if (!isRefused.has(ref.name)) world.wds.remove(ref);
    await world.quiesce();
    expect(bindings().length).toBeLessThan(count);
    expect(refused().length).toBeLessThan(before);
    expect(differences(world)).toEqual([]);
  });
});
