import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guardedReceiver } from '#functions/send-notifications/guarded-receiver.ts';
import { createSendNotifications } from '#functions/send-notifications/lambda.ts';
import { unhurriedReceiver } from '#functions/send-notifications/unhurried-receiver.ts';
import { pollOnce, startPoller } from '#local/stack/poller.ts';
import { type LocalQueues, openQueues, QUEUES } from '#local/stack/queues.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { sleep } from '#shared/concurrency.ts';
import { ReceiverFailedError, ReceiverUnavailableError } from '#shared/errors.ts';
import { type DeliveryMessage, encodeNotification } from '#shared/messages/notification.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';

const BACKLOG = 2_000;
const QUIET = 5;

/** The event about a workload object for a receiver. */
function delivery(receiver: string, index: number): DeliveryMessage {
  const place = { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop' };
  const topic = { type: 'verdict', workload: { ...place, name: `web${index}` } } as const;
  return { type: 'delivery', topic, receiver, revision: 1, event: { id: `${receiver}${index}` } };
}

describe('a receiver that is down, with a backlog of events', () => {
  let database: SqliteDatabase;
  let queues: LocalQueues;
  /** How often the dead one was tried, and what the other got. */
  let tried: number;
  let received: unknown[];
  let handler: SqsHandler;

  beforeEach(async () => {
    database = openSqliteDatabase(':memory:');
    queues = openQueues(database);
    tried = 0;
    received = [];
    const dead = guardedReceiver(
      {
        deliver() {
          tried += 1;
          throw new ReceiverUnavailableError({ receiver: 'dead', fault: 'no answer' });
        },
      },
      () => 0,
    );
    const alive = { deliver: async (event: unknown) => void received.push(event) };
    handler = createSendNotifications(
      {
        store: createMemoryItemStore(),
        notifications: queues.notifications,
        deadLetters: queues['notifications-dlq'],
        rules: [],
        receivers: new Map([
          ['dead', dead],
          ['alive', alive],
        ]),
        telemetry: createMemoryTelemetry(),
        clock: () => 0,
      },
      createObservability({ service: 'test', logLevel: 'SILENT', metrics: 'off' }),
      { givesBack: true },
    );
    const backlog = Array.from({ length: BACKLOG }, (_one, index) => delivery('dead', index));
    const quiet = Array.from({ length: QUIET }, (_one, index) => delivery('alive', index));
    await queues.notifications.send(
      [...backlog, ...quiet].map((message) => encodeNotification(message, '')),
    );
  });

  afterEach(() => database.close());

  it('is tried once, and another one gets its events among the first', async () => {
    const errors: unknown[] = [];
    const poll = {
      name: 'notifications',
      queue: queues.notifications,
      handler,
      retrySeconds: exponentialRetry,
      onError: (error: unknown) => void errors.push(error),
    };
    // Every second receive is for the one with the backlog alone.
    for (let polls = 0; polls < 2 * QUIET; polls += 1) await pollOnce(poll, 0);
    expect(received).toHaveLength(QUIET);
    expect(tried).toBe(1);
    expect(errors).toEqual([]);
  });
});

describe('an event that a receiver always answers with 500', () => {
  it('delays no other event of that receiver', async () => {
    const database = openSqliteDatabase(':memory:');
    const { notifications: queue, 'notifications-dlq': deadLetters } = openQueues(database);
    const received: unknown[] = [];
    const receiver = guardedReceiver(
      {
        async deliver({ id }) {
          if (id === 'chat0') throw new ReceiverFailedError('chat', 'it answers 500');
          received.push(id);
        },
      },
      () => 0,
    );
    const handler = createSendNotifications(
      {
        store: createMemoryItemStore(),
        notifications: queue,
        deadLetters,
        rules: [],
        receivers: new Map([['chat', receiver]]),
        telemetry: createMemoryTelemetry(),
        clock: () => 0,
      },
      createObservability({ service: 'test', logLevel: 'SILENT', metrics: 'off' }),
      { givesBack: true },
    );
    const events = Array.from({ length: 20 }, (_one, index) => delivery('chat', index));
    await queue.send(events.map((message) => encodeNotification(message, '')));
    const poll = { name: 'notifications', queue, handler, retrySeconds: () => 3_600 };
    const onError = (error: unknown): never => {
      throw error;
    };
    while (await pollOnce({ ...poll, onError }, 0));
    expect(received).toEqual(events.slice(1).map(({ event }) => event['id']));
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    database.close();
  });
});

describe('receivers that never answer, more of them than invocations', () => {
  const HANGING = Array.from({ length: 8 }, (_one, index) => `hanging${index}`);
  const EVENTS = 20;

  it('have one event in hand each, and another receiver gets all of its events', async () => {
    const database = openSqliteDatabase(':memory:');
    const { notifications: queue, 'notifications-dlq': deadLetters } = openQueues(database);
    const tried: string[] = [];
    const received: unknown[] = [];
    const all = Promise.withResolvers<void>();
    const place = (name: string, deliver: EventReceiver['deliver']) =>
      [
        name,
        unhurriedReceiver(
          guardedReceiver({ deliver }, () => 0),
          {
            name,
            sleep: () => new Promise((resolve) => setImmediate(resolve)),
            clock: () => 0,
          },
        ),
      ] as const;
    const handler = createSendNotifications(
      {
        store: createMemoryItemStore(),
        notifications: queue,
        deadLetters,
        rules: [],
        receivers: new Map([
          ...HANGING.map((name) =>
            place(name, () => {
              tried.push(name);
              return new Promise<void>(() => undefined);
            }),
          ),
          place('alive', async ({ id }) => {
            received.push(id);
            if (received.length === EVENTS) all.resolve();
          }),
        ]),
        telemetry: createMemoryTelemetry(),
        clock: () => 0,
      },
      createObservability({ service: 'test', logLevel: 'SILENT', metrics: 'off' }),
      { givesBack: true },
    );
    const events = [...HANGING, 'alive'].flatMap((name) =>
      Array.from({ length: EVENTS }, (_one, index) => delivery(name, index)),
    );
    await queue.send(events.map((message) => encodeNotification(message, '')));
    const errors: unknown[] = [];
    const poller = startPoller({
      name: 'notifications',
      queue,
      handler,
      concurrency: QUEUES.notifications.concurrency,
      retrySeconds: exponentialRetry,
      onError: (error) => void errors.push(error),
      sleep,
    });
    await all.promise;
    await poller.stop();
    expect(errors).toEqual([]);
    expect(new Set(received).size).toBe(EVENTS);
    for (const name of HANGING) {
      const requests = tried.filter((one) => one === name).length;
      // Invocations that began together may each have one.
      expect(requests).toBeGreaterThan(0);
      expect(requests).toBeLessThanOrEqual(QUEUES.notifications.concurrency);
    }
    database.close();
  });
});
