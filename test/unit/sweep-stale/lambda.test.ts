import type { ScheduledEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSweepStale } from '#functions/sweep-stale/lambda.ts';
import {
  FELL_SILENT,
  LETTERS_STAY,
  REPORT_AGAIN,
  SENT_BACK,
  UNREADABLE,
} from '#functions/sweep-stale/log-messages.ts';
import { localContext } from '#local/stack/poller.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { QueueUnavailableError, StoreUnavailableError } from '#shared/errors.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { putSetAside } from '#shared/state/set-aside.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { listed } from '#test/unit/protocol/fleet-events.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

const EVENT: ScheduledEvent = {
  version: '0',
  id: 'event-1',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: '2026-01-01T00:00:00Z',
  region: 'eu-central-1',
  resources: ['arn:aws:events:eu-central-1:000000000000:rule/sweep-stale'],
  detail: {},
};

const CONTEXT = localContext('sweep-stale', EVENT.id);
const { observability } = createObservedOutput();

function queue(fifo: boolean): MemoryMessageQueue {
  let ids = 0;
  return createMemoryMessageQueue({
    fifo,
    visibilityTimeoutSeconds: 360,
    maxReceiveCount: 1_000,
    // Each look at it takes a second, so that a receive that waits comes to its end.
    clock: () => {
      ids += 1;
      return ids * 1_000;
    },
    createMessageId: () => {
      ids += 1;
      return `message-${ids}`;
    },
  });
}

it('the function logs the WECs that have become silent or report again, but not all of many', async () => {
  const store = createMemoryItemStore();
  const telemetry = createMemoryTelemetry();
  const names = Array.from({ length: 25 }, (_name, index) => `wec-${String(index + 10)}`);
  let now = 0;
  const beat = (sequence: number) =>
    store.put(
      names.map((name) => ({
        item: heartbeatItem({ type: 'wec', name }, { epoch: 1, sequence }, now),
      })),
    );
  const deadLetters = queue(false);
  deadLetters.add({ body: '[]' }, 'AROA:x');
  const routes = [{ name: 'events', deadLetters, queue: queue(false) }] as const;
  const deps = {
    store,
    dirty: new SentMessages(),
    hints: new SentMessages(),
    clock: () => now,
    routes,
    principal: 'AROA',
  };
  const sweep = createSweepStale({ ...deps, telemetry }, observability);
  const run = (): Promise<void> => sweep(EVENT, CONTEXT);
  await beat(1);
  await run();
  expect(telemetry.lines).toEqual([]);
  now = SILENCE_LIMIT_MS + 1;
  await run();
  await beat(2);
  await run();
  await run();
  expect(telemetry.lines).toEqual([
    {
      level: 'warn',
      message: FELL_SILENT,
      fields: { wecs: names.slice(0, 20), count: 25 },
    },
    {
      level: 'info',
      message: REPORT_AGAIN,
      fields: { wecs: names.slice(0, 20), count: 25 },
    },
  ]);
  expect(telemetry.counts).toEqual({});
});

it('the function warns once of entries that cannot be read, not naming all of many', async () => {
  const store = createMemoryItemStore();
  const telemetry = createMemoryTelemetry();
  const source = { type: 'wec', name: 'w' } as const;
  await store.put([{ item: heartbeatItem(source, { epoch: 1, sequence: 1 }, 0) }]);
  const entries = Array.from({ length: 25 }, (_entry, index) => `SEEN#bad${index + 10}`);
  await store.put(entries.map((sk) => ({ item: { pk: 'E#wec/w', sk, version: '1' } })));
  const clock = (): number => SILENCE_LIMIT_MS + 1;
  const deps = {
    store,
    dirty: new SentMessages(),
    hints: new SentMessages(),
    clock,
    routes: [],
    principal: 'AROA',
  };
  await createSweepStale({ ...deps, telemetry }, observability)(EVENT, CONTEXT);
  expect(telemetry.lines.slice(1)).toEqual([
    {
      level: 'warn',
      message: UNREADABLE,
      fields: { entries: entries.slice(0, 20).map((sk) => `E#wec/w ${sk}`), count: 25 },
    },
  ]);
});

it('the times that users choose come last: while they take long, everything else of the sweep is done', async () => {
  const memory = createMemoryItemStore();
  const begun = Promise.withResolvers<void>();
  const endless: ItemStore = {
    ...memory,
    query: (query) => {
      if (query.pk !== 'SILENT-AFTER') return memory.query(query);
      begun.resolve();
      return new Promise(() => undefined);
    },
  };
  await memory.put([
    { item: heartbeatItem({ type: 'wec', name: 'w' }, { epoch: 1, sequence: 1 }, 0) },
  ]);
  await putSetAside(memory, { pk: 'C#wds1/aside', nowMs: 0, bindings: [] }, undefined);
  const dirty = new SentMessages();
  const telemetry = createMemoryTelemetry();
  let now = 0;
  const deps = {
    dirty,
    hints: new SentMessages(),
    clock: () => now,
    routes: [],
    principal: 'AROA',
    telemetry,
  };
  // A change of the list of sources notifies the subjects with a time, so the list must not be new.
  await createSweepStale({ ...deps, store: memory }, observability)(EVENT, CONTEXT);
  now = SILENCE_LIMIT_MS + 1;
  void createSweepStale({ ...deps, store: endless }, observability)(EVENT, CONTEXT);
  await begun.promise;
  expect([...(await readSilentWecs(memory)).keys()]).toEqual(['w']);
  expect(dirty.bodies.map(parseDirty)).toMatchObject([{ subject: { name: 'aside' } }]);
  expect(telemetry.counts).toEqual({ SubjectsSetAside: 2 });
});

describe('the task of redriving', () => {
  let telemetry: MemoryTelemetry;
  let deadLetters: MemoryMessageQueue;
  let events: SentMessages;
  beforeEach(() => {
    telemetry = createMemoryTelemetry();
    deadLetters = queue(false);
    events = new SentMessages();
  });

  async function redrive(): Promise<readonly string[]> {
    const store = createMemoryItemStore();
    const heartbeat = heartbeatItem({ type: 'wec', name: 'w' }, { epoch: 1, sequence: 1 }, 0);
    await store.put([{ item: heartbeat }]);
    const sweep = createSweepStale(
      {
        store,
        dirty: new SentMessages(),
        hints: new SentMessages(),
        clock: () => SILENCE_LIMIT_MS + 1,
        routes: [
          { name: 'events', deadLetters, queue: events },
          { name: 'dirty', deadLetters: queue(true), queue: queue(true) },
        ],
        principal: 'AROASWEEP',
        telemetry,
      },
      observability,
    );
    await sweep({ task: 'redrive' }, CONTEXT);
    const { items } = await store.query({ pk: 'SILENCE' });
    return items.map(({ sk }) => sk);
  }

  it('counts sent messages, reports remaining ones, and leaves silence to the other task', async () => {
    deadLetters.add({ body: '[]' }, 'AROA:x');
    deadLetters.add({ body: '[]' }, 'AROA:x');
    deadLetters.add({ body: 'nonsense' }, 'AROA:x');
    expect(await redrive()).toEqual([]);
    expect(telemetry.counts).toEqual({ Redriven: 2 });
    expect(telemetry.lines).toEqual([
      {
        level: 'info',
        message: SENT_BACK,
        fields: { queue: 'events', redriven: 2 },
      },
      {
        level: 'warn',
        message: LETTERS_STAY,
        fields: { queue: 'events', unreadable: 1 },
      },
    ]);
  });

  it('logs nothing if there are no dead letters', async () => {
    await redrive();
    expect(telemetry.lines).toEqual([]);
    expect(telemetry.counts).toEqual({});
  });

  it('fails when a queue did, so that the invocation counts as an error', async () => {
    deadLetters.add({ body: '[]' }, 'AROA:x');
    events.mode = 'lost';
    await expect(redrive()).rejects.toThrow(QueueUnavailableError);
  });
});

describe('the sweep, if a part of it fails', () => {
  const FLEET = { type: 'fleet', name: 'upstream1' } as const;
  let store: ItemStore;
  let telemetry: MemoryTelemetry;
  beforeEach(async () => {
    store = createMemoryItemStore();
    telemetry = createMemoryTelemetry();
    const version = { epoch: 1, sequence: 1 };
    const [now, before] = [SILENCE_LIMIT_MS + 1, 0];
    await store.put([
      { item: heartbeatItem({ type: 'wec', name: 'w' }, version, before) },
      { item: heartbeatItem(FLEET, version, now) },
    ]);
  });

  /** Sweeps with a store in which a partition cannot be read. */
  function sweepWithout(pk: string): Promise<void> {
    const broken: ItemStore = {
      ...store,
      query: async (query) => {
        if (query.pk === pk) throw new StoreUnavailableError(pk);
        return store.query(query);
      },
    };
    const clock = (): number => SILENCE_LIMIT_MS + 1;
    const deps = {
      store: broken,
      dirty: new SentMessages(),
      hints: new SentMessages(),
      clock,
      routes: [],
      principal: 'AROA',
    };
    return createSweepStale({ ...deps, telemetry }, observability)(EVENT, CONTEXT);
  }

  it('continues with the management clusters of Fleet when that of WECs failed, and fails then', async () => {
    await expect(sweepWithout('SILENCE')).rejects.toThrow(StoreUnavailableError);
    expect(telemetry.counts).toEqual({ FleetDifferences: 0 });
    expect(telemetry.lines).toEqual([]);
  });

  it('fails if a management cluster of Fleet failed, after everything was reported', async () => {
    await store.put([listed(FLEET)]);
    await expect(sweepWithout(`CONTACTS#${FLEET.name}`)).rejects.toThrow(StoreUnavailableError);
    expect(telemetry.counts).toEqual({});
    expect(telemetry.lines).toMatchObject([{ message: FELL_SILENT }]);
  });
});
