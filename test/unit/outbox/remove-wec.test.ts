import { beforeEach, expect, it } from 'vitest';
import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import { nextEpoch } from '#local/stack/epoch.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { lastEpochAt } from '#shared/core/epoch.ts';
import type { EventContent, EventVersion } from '#shared/core/event.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { encodeDirty, parseDirty } from '#shared/messages/dirty.ts';
import { removeWec } from '#shared/outbox/remove-wec.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { versionText } from '#shared/state/keys.ts';
import { createListings } from '#shared/state/listings.ts';
import { readRows } from '#shared/state/rows.ts';
import { listSenders, registerSender } from '#shared/state/senders.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const BEAT: EventContent = { type: 'heartbeat' };
const NAMES = ['a', 'b', 'c'];

let store: ItemStore;
let dirty: SentMessages;
let now: number;

type WecObject = Extract<EventContent, { type: 'wec-object' }>;

function has(name: string, first = true): WecObject {
  const subject = { group: '', resource: 'pods', namespace: 'shop', name };
  const returned = { uid: name, generation: 0, status: {} };
  return { type: 'wec-object', wds: 'wds1', subject, first, returned };
}

const wec1 = { type: 'wec', name: 'wec1' } as const;

/** That an object is gone. */
function withoutReturned({ returned: _returned, ...gone }: WecObject): EventContent {
  return gone;
}

async function say(wec: string, version: EventVersion, content: EventContent): Promise<void> {
  const hints = new SentMessages();
  const deps = { store, specs: createSpecStore(store), dirty: new SentMessages(), hints };
  const source = { type: 'wec', name: wec } as const;
  await recordEvents({ ...deps, clock: () => now }, [{ source, version, time: '', content }]);
}

/** Lets the sweeps that were sent run to their end. */
async function sweep(subjects: MessageSender = new SentMessages()): Promise<void> {
  for (const body of dirty.bodies.splice(0)) {
    const message = parseDirty(body);
    expect(message.type).toBe('sweep');
    await handleDirty(
      {
        store,
        ...rememberState(store),
        schemas: createBuiltInSchemas(),
        dirty: subjects,
        hints: new SentMessages(),
        telemetry: createMemoryTelemetry(),
        clock: () => now,
      },
      [message],
    );
  }
}

async function rowsOf(name: string): Promise<readonly string[]> {
  const rows = await readRows(store, `W#wds1//pods/shop/${name}`, { from: '', to: 'g' });
  return rows.map(({ wec }) => wec).sort();
}

beforeEach(async () => {
  store = createMemoryItemStore();
  dirty = new SentMessages();
  now = 1_000_000;
  for (const wec of ['wec1', 'wec2']) {
    await registerSender(store, { source: { type: 'wec', name: wec }, principal: `AROA-${wec}` });
    for (const [index, name] of NAMES.entries())
      await say(wec, { epoch: 3, sequence: index + 1 }, has(name));
    await say(wec, { epoch: 3, sequence: 2 }, BEAT);
  }
});

it('a WEC that is removed may not report, is not silent, and has no rows; the others stay', async () => {
  now += SILENCE_LIMIT_MS + 1;
  await say('wec2', { epoch: 3, sequence: 9 }, BEAT);
  await sweepStale({ store, dirty: new SentMessages(), clock: () => now });
  expect([...(await readSilentWecs(store)).keys()]).toEqual(['wec1']);
  const removed = await removeWec({ store, dirty }, 'wec1', now);
  expect(removed).toEqual({ principals: ['AROA-wec1'], until: { epoch: 3, sequence: 4 } });
  const left: string[] = [];
  for await (const page of listSenders(store)) left.push(...page.map(({ source }) => source.name));
  expect(left).toEqual(['wec2']);
  expect([...(await readSilentWecs(store)).keys()]).toEqual([]);
  await sweepStale({ store, dirty: new SentMessages(), clock: () => now });
  expect([...(await readSilentWecs(store)).keys()]).toEqual([]);
  await sweep();
  for (const name of NAMES) expect(await rowsOf(name)).toEqual(['wec2']);
});

it('what it said before and comes late, says nothing; what it says in a new epoch is heard', async () => {
  await removeWec({ store, dirty }, 'wec1', now);
  await sweep();
  await say('wec1', { epoch: 3, sequence: 2 }, has('d'));
  expect(await rowsOf('d')).toEqual([]);
  await say('wec1', { epoch: 4, sequence: 1 }, has('a'));
  expect(await rowsOf('a')).toEqual(['wec1', 'wec2']);
});

it('its newest row counts if it is newer than the mark, and missing reports do not', async () => {
  await say('wec1', { epoch: 3, sequence: 7 }, has('b', false));
  const { until } = await removeWec({ store, dirty }, 'wec1', now);
  expect(until).toEqual({ epoch: 3, sequence: 8 });
  await sweep();
  for (const name of NAMES) expect(await rowsOf(name)).toEqual(['wec2']);
});

it('a row with the very version of a floor goes with the WEC', async () => {
  const since = { epoch: 3, sequence: 9 };
  await say('wec1', since, has('a', false));
  await dirty.send([encodeDirty({ type: 'sweep', source: wec1, since }, 'listed')]);
  await sweep();
  await removeWec({ store, dirty }, 'wec1', now);
  await sweep();
  for (const name of NAMES) expect(await rowsOf(name)).toEqual(['wec2']);
});

it.each([
  ['its rows', (version: EventVersion) => say('wec1', version, has('a', false))],
  ['what says that it has one', (version: EventVersion) => say('wec1', version, has('new'))],
  ['its heartbeat', (version: EventVersion) => say('wec1', version, BEAT)],
  [
    'the floor',
    (version: EventVersion) => say('wec1', version, { type: 'snapshot', since: version }),
  ],
  [
    'the tombstones of a sweep',
    async (version: EventVersion) => {
      await dirty.send([encodeDirty({ type: 'sweep', source: wec1, since: version }, 'forged')]);
      await sweep();
    },
  ],
  [
    'the tombstone of what came too late',
    async (version: EventVersion) => {
      const since = { epoch: 3, sequence: 9 };
      await dirty.send([encodeDirty({ type: 'sweep', source: wec1, since }, 'listed')]);
      await sweep();
      await say('wec1', version, { type: 'snapshot', since: version });
      await say('wec1', { epoch: 3, sequence: 1 }, has('a', false));
    },
  ],
  [
    'the tombstone of what it never had',
    (version: EventVersion) => say('wec1', version, withoutReturned(has('new', false))),
  ],
])('a later forwarder is heard whatever the version of %s', async (_what, forge) => {
  await forge({ epoch: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER });
  await removeWec({ store, dirty }, 'wec1', now);
  await sweep();
  for (const name of NAMES) expect(await rowsOf(name)).toEqual(['wec2']);
  expect(await rowsOf('new')).toEqual([]);
  const epoch = await nextEpoch(store, { type: 'wec', name: 'wec1' }, now);
  expect(epoch).toBeLessThanOrEqual(lastEpochAt(now));
  await say('wec1', { epoch: 4, sequence: 1 }, has('a'));
  await say('wec1', { epoch: 4, sequence: 2 }, has('new'));
  await say('wec1', { epoch: 4, sequence: 3 }, BEAT);
  expect(await rowsOf('a')).toEqual(['wec1', 'wec2']);
  expect(await rowsOf('new')).toEqual(['wec1']);
  const beat = { pk: 'HEARTBEATS', sk: 'wec/wec1' };
  expect(await store.get([beat])).toMatchObject([
    { version: versionText({ epoch: 4, sequence: 3 }) },
  ]);
});

it('subjects are notified each time it is removed, also soon after it returned with versions ahead of the clock', async () => {
  const queue = createMemoryMessageQueue({
    fifo: true,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 3,
    clock: () => now,
    createMessageId: () => 'one',
  });
  const ahead = { epoch: Number.MAX_SAFE_INTEGER, sequence: 1 };
  const take = async (): Promise<readonly string[]> => {
    const received = await queue.receive({ max: 10, waitSeconds: 0 });
    await queue.delete(received.map(({ receiptHandle }) => receiptHandle));
    return received.map(({ body }) => body);
  };
  for (let time = 0; time < 3; time += 1) {
    for (const name of NAMES) await say('wec1', ahead, has(name, false));
    await say('wec1', ahead, { type: 'snapshot', since: ahead });
    await removeWec({ store, dirty: queue }, 'wec1', now);
    dirty.bodies.push(...(await take()));
    await sweep(queue);
    const notified: string[] = [];
    for (let bodies = await take(); bodies.length > 0; bodies = await take())
      notified.push(...bodies);
    expect(notified).toHaveLength(NAMES.length);
    for (const name of NAMES) expect(await rowsOf(name)).toEqual(['wec2']);
    now += 1_000;
  }
});

it('of a WEC that never reported is removed with its registration, and no subject waits for it', async () => {
  await registerSender(store, { source: { type: 'wec', name: 'new' }, principal: 'AROA-new' });
  expect(await removeWec({ store, dirty }, 'new', now)).toEqual({ principals: ['AROA-new'] });
  expect(dirty.bodies).toEqual([expect.stringContaining('"type":"sweep"')]);
  expect(await createListings(store).missing([{ type: 'wec', name: 'new' }])).toEqual([]);
});

it('is done by the next call when the queue was down', async () => {
  dirty.mode = 'lost';
  await expect(removeWec({ store, dirty }, 'wec1', now)).rejects.toThrow();
  dirty.mode = 'accept';
  await removeWec({ store, dirty }, 'wec1', now);
  await sweep();
  expect(await rowsOf('a')).toEqual(['wec2']);
  expect((await store.query({ pk: 'HEARTBEATS' })).items.map(({ sk }) => sk)).toEqual(['wec/wec2']);
});
