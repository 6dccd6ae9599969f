import { describe, expect, it } from 'vitest';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { registerSender } from '#shared/state/senders.ts';
import { freezeTimers } from './frozen-timers.ts';
import { histories } from './histories.ts';
import { outcome } from './outcome.ts';
import { principalFor } from './queues.ts';
import type { World } from './world.ts';
import { worldOf } from './worlds.ts';

const BATCH = 5;
const ACTIONS = 20;
const COUNT = histories({ first: 15, all: 150 });

const NEVER = { type: 'wec', name: 'never' } as const;

/** The WEC has no object. Of it, nothing is awaited, but it sends no heartbeat. */
async function sayNothing(world: World): Promise<void> {
  const principal = principalFor(NEVER);
  await registerSender(world.store, { source: NEVER, principal });
  const event = {
    source: NEVER,
    version: { epoch: 0, sequence: 0 },
    time: new Date(world.scheduler.now).toISOString(),
    content: { type: 'snapshot', since: { epoch: 0, sequence: 0 } },
  } as const;
  const body = encodeBatch([encodeEvent(event)]);
  await world.queues.events.sentBy(`${principal}:forwarder`).send([{ body }]);
}

freezeTimers();

describe('the pipeline, with Bindings that also send to a WEC that has never sent a heartbeat', () => {
  it.each(Array.from({ length: COUNT / BATCH }, (_, batch) => 5_000 + batch * BATCH))(
    'ends equal to a fresh fold, in which that WEC is silent, after the histories of seeds %i and following',
    async (first) => {
      for (let seed = first; seed < first + BATCH; seed += 1) {
        const world = worldOf(seed, { foreignWecs: [NEVER.name] });
        await sayNothing(world);
        const wrong = await outcome(world, { actions: ACTIONS, silence: seed % 4 < 2 });
        expect({ seed, wrong }).toEqual({ seed, wrong: [] });
      }
    },
  );
});
