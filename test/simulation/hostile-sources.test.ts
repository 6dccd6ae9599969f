import { describe, expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { unnamedRows } from './days.ts';
import { endingOf } from './ending.ts';
import { freezeTimers } from './frozen-timers.ts';
import { HostileHistory, OBJECTS_PER_WEC } from './hostile-history.ts';
import { HOSTILE_WEC } from './hostile-sources.ts';
import { differences } from './oracle.ts';

/** In some of those that `npm test` plays, the hostile WEC has as many objects as it may have. */
const DEFAULT_SEEDS = `${histories({ first: 5, all: 0 })}:${histories({ first: 4, all: 20 })}`;
// biome-ignore lint/style/noProcessEnv: how long to look, and from which seed on, is for whoever starts the tests to say.
const { STARFOLD_HOSTILE_SEEDS = DEFAULT_SEEDS } = process.env;
/** `FIRST:HISTORIES` */
const [first = 0, count = 0] = STARFOLD_HOSTILE_SEEDS.split(':').map(Number);
const BATCH = 10;

type Endings = Readonly<
  Record<'there' | 'silent' | 'replaced' | 'aged' | 'unnamed' | 'again' | 'wrong', unknown>
>;

/**
 * What the honest ones have come to: at the end, when some have fallen silent, when the hostile WEC has been replaced, when weeks
 * have passed, and when what no Binding named for weeks is named again.
 */
async function endings(history: HostileHistory): Promise<Endings> {
  const { world } = history;
  await history.play();
  const there = await endingOf(world, HOSTILE_WEC);
  await history.fallSilent();
  const silent = await endingOf(world, HOSTILE_WEC);
  await history.replaceWec();
  const replaced = await endingOf(world);
  const wrong = [...differences(world)];
  await history.age();
  const aged = await endingOf(world);
  const unnamed = await unnamedRows(world);
  await history.nameAgain();
  wrong.push(...differences(world));
  return { there, silent, replaced, aged, unnamed, again: await endingOf(world), wrong };
}

freezeTimers();

describe('hostile sources beside honest ones, simulated', () => {
  it.each(Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => first + batch * BATCH))(
    'leave the end of the honest ones as it is without them in the histories of seeds %i and following',
    async (start) => {
      let full = 0;
      for (let seed = start; seed < Math.min(start + BATCH, first + count); seed += 1) {
        const without = await endings(new HostileHistory(seed, false));
        const hostile = new HostileHistory(seed, true);
        const beside = await endings(hostile);
        expect({ seed, ...beside }).toEqual({ seed, ...without });
        const { wrong, unnamed } = beside;
        expect({ seed, wrong, unnamed }).toEqual({ seed, wrong: [], unnamed: [] });
        expect(hostile.most).toBeLessThanOrEqual(OBJECTS_PER_WEC);
        if (hostile.most === OBJECTS_PER_WEC) full += 1;
      }
      // In some histories the hostile WEC reports more objects than its quota has.
      expect(full).toBeGreaterThan(0);
    },
  );
});
