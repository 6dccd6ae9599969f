import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SendNotificationsDeps } from '#functions/send-notifications/deps.ts';
import { sendNotifications } from '#functions/send-notifications/use-case.ts';
import { NO_VERDICT } from '#shared/core/health/verdict.ts';
import { at, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { EVENT_TYPES } from '#shared/core/notification/change-event.ts';
import { compileRules } from '#shared/core/notification/rules.ts';
import {
  type ChangeMessage,
  type NotificationMessage,
  parseNotification,
} from '#shared/messages/notification.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Head, putHead, readHead } from '#shared/state/head.ts';
import { readNotified } from '#shared/state/notified.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { histories } from '#test/histories.ts';

const WORKLOAD = {
  wds: 'wds1',
  group: 'apps',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
const PK = 'W#wds1/apps/deployments/shop/web';
const TOPIC = { type: 'verdict', workload: WORKLOAD } as const;
const { rules: RULES } = compileRules([
  { name: 'all', events: [EVENT_TYPES.verdict], send: ['all'] },
]);

type Fault = 'none' | 'before' | 'after';

class Crash extends Error {}

/** The function over a store whose calls take turns in any order, and may fail before or after they take effect. */
class World {
  readonly stored = createMemoryItemStore();
  readonly received: JsonObject[] = [];
  /** What was sent to the queue of the function and is not handled. */
  readonly queued: NotificationMessage[] = [];
  readonly #scheduler: fc.Scheduler;
  readonly #faults: Fault[];
  #now = 0;

  constructor(scheduler: fc.Scheduler, faults: readonly Fault[]) {
    this.#scheduler = scheduler;
    this.#faults = [...faults];
  }

  async call<T>(label: string, run: () => Promise<T>): Promise<T> {
    await this.#scheduler.schedule(Promise.resolve(), label);
    const fault = this.#faults.shift() ?? 'none';
    if (fault === 'before') throw new Crash();
    const result = await run();
    if (fault === 'after') throw new Crash();
    return result;
  }

  get deps(): SendNotificationsDeps {
    const { stored } = this;
    const store = {
      ...stored,
      get: (keys) => this.call('get', () => stored.get(keys)),
      put: (puts) => this.call('put', () => stored.put(puts)),
    } satisfies ItemStore;
    const send: SendNotificationsDeps['notifications']['send'] = (messages) =>
      this.call('send', async () => {
        this.queued.push(...messages.map(({ body }) => parseNotification(body)));
      });
    return {
      store,
      notifications: { send },
      deadLetters: { send },
      rules: RULES,
      receivers: new Map([
        [
          'all',
          { deliver: (event) => this.call('POST', async () => void this.received.push(event)) },
        ],
      ]),
      telemetry: createMemoryTelemetry(),
      clock: () => {
        this.#now += 1_000;
        return this.#now;
      },
    };
  }

  /** Stores the next verdict, and returns the message about it. */
  async judge(status: string): Promise<ChangeMessage> {
    await this.#scheduler.schedule(Promise.resolve(), 'judge');
    const head = await readHead(this.stored, PK);
    const next: Head = { ...head, revision: head.revision + 1, verdict: { status } };
    await putHead(this.stored, PK, next);
    return { type: 'change', topic: TOPIC, before: head.verdict?.status ?? NO_VERDICT };
  }
}

/** Handles a message until it is done, as a queue does. */
async function handled(world: World, message: NotificationMessage): Promise<void> {
  for (;;)
    try {
      return await sendNotifications(world.deps, [message]);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
}

async function judged(world: World, status: string, copies: number): Promise<void> {
  const message = await world.judge(status);
  await Promise.all(Array.from({ length: copies }, () => handled(world, message)));
}

const HISTORY = fc.record({
  statuses: fc.array(fc.constantFrom('Healthy', 'Degraded', 'Progressing'), {
    minLength: 1,
    maxLength: 5,
  }),
  copies: fc.constantFrom(1, 2),
  scheduler: fc.scheduler(),
  faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'before', 'after'), {
    size: 'large',
    maxLength: 60,
  }),
});

/** What the receiver knows: the event with the greatest sequence. */
function known(received: readonly JsonObject[]): JsonObject | undefined {
  return received
    .toSorted((a, b) => (String(a['sequence']) < String(b['sequence']) ? -1 : 1))
    .at(-1);
}

/** Plays a history. Deliveries take turns too, after all changes were noted. */
async function played(history: typeof HISTORY extends fc.Arbitrary<infer T> ? T : never) {
  const { statuses, copies, scheduler, faults } = history;
  const world = new World(scheduler, faults);
  await scheduler.waitFor(Promise.all(statuses.map((status) => judged(world, status, copies))));
  while (world.queued.length > 0)
    await scheduler.waitFor(
      Promise.all(world.queued.splice(0).map((message) => handled(world, message))),
    );
  return world;
}

describe('the receiver of changes, whatever fails, comes twice or overtakes', () => {
  it('knows the present state', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, async (history) => {
        const world = await played(history);
        const present = (await readHead(world.stored, PK)).verdict?.status ?? '';
        const noted = await readNotified(world.stored, TOPIC);
        expect(noted?.unsent).toBeUndefined();
        const last = known(world.received) ?? {};
        expect([noted?.state.status, at(last, 'data', 'status')]).toEqual([present, present]);
      }),
      { seed: 1, numRuns: histories({ first: 200, all: 600 }) },
    );
  });

  it('never gets two events with one id, nor an event without a change', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, async (history) => {
        const { received } = await played(history);
        const ids = new Map(received.map((event) => [event['id'], stringifyJson(event)]));
        for (const event of received) {
          expect(stringifyJson(event)).toBe(ids.get(event['id']));
          expect(at(event, 'data', 'status')).not.toBe(at(event, 'data', 'previous'));
        }
      }),
      { seed: 2, numRuns: histories({ first: 200, all: 600 }) },
    );
  });
});
