import { describe, expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { endingOf } from './ending.ts';
import { freezeTimers } from './frozen-timers.ts';
import { HostileHistory } from './hostile-history.ts';
import { HOSTILE_WEC } from './hostile-sources.ts';
import { differences } from './oracle.ts';

// biome-ignore lint/style/noProcessEnv: how long to look, and from which seed on, is for whoever starts the tests to say.
const { STARFOLD_HOSTILE_SEEDS = `0:${histories({ first: 10, all: 30 })}` } = process.env;
/** `FIRST:HISTORIES` */
const [first = 0, count = 0] = STARFOLD_HOSTILE_SEEDS.split(':').map(Number);
const BATCH = 10;

type Endings = Readonly<Record<'there' | 'silent' | 'replaced' | 'wrong', unknown>>;

/** What the honest ones have come to: at the end, when some have fallen silent, and when the hostile WEC has been replaced. */
async function endings(history: HostileHistory): Promise<Endings> {
  const { world } = history;
  await history.play();
  const there = await endingOf(world, HOSTILE_WEC);
  await history.fallSilent();
  const silent = await endingOf(world, HOSTILE_WEC);
  await history.replaceWec();
  return { there, silent, replaced: await endingOf(world), wrong: differences(world) };
}

freezeTimers();

describe('hostile sources beside honest ones, simulated', () => {
  it.each(Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => first + batch * BATCH))(
    'leave the end of the honest ones as it is without them in the histories of seeds %i and following',
    async (start) => {
      for (let seed = start; seed < Math.min(start + BATCH, first + count); seed += 1) {
        const without = await endings(new HostileHistory(seed, false));
        const beside = await endings(new HostileHistory(seed, true));
        expect({ seed, ...beside }).toEqual({ seed, ...without });
        expect({ seed, wrong: beside.wrong }).toEqual({ seed, wrong: [] });
      }
    },
  );
});
