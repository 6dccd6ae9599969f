import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { type SweepStaleOutcome, sweepStale } from '#functions/sweep-stale/use-case.ts';
import type { EventContent, EventVersion } from '#shared/core/event.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore, Put } from '#shared/ports/item-store.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const NOTHING: SweepStaleOutcome = { silent: [], speaking: [], labelled: [], unreadable: [] };

let store: ItemStore;
let dirty: SentMessages;
let now: number;
let sequence: number;
/** Calls to the store, as `query HEARTBEATS` or `put SILENCE wec1`. */
let calls: string[];

function counted(inner: ItemStore): ItemStore {
  const keys = (items: readonly { readonly pk: string; readonly sk: string }[]): void =>
    void calls.push(...items.map(({ pk, sk }) => `${pk} ${sk}`));
  return {
    get: (wanted) => {
      keys(wanted);
      return inner.get(wanted);
    },
    query: (query) => {
      calls.push(`query ${query.pk}`);
      return inner.query(query);
    },
    put: (puts: readonly Put[]) => {
      keys(puts.map(({ item }) => item));
      return inner.put(puts);
    },
    delete: (deletes) => inner.delete(deletes),
  };
}

beforeEach(() => {
  calls = [];
  store = createMemoryItemStore();
  dirty = new SentMessages();
  now = 1_000_000;
  sequence = 0;
});

async function say(wec: string, content: EventContent, version?: EventVersion): Promise<void> {
  sequence += 1;
  const deps = { store, specs: createSpecStore(store), hints: new SentMessages() };
  await recordEvents({ ...deps, dirty: new SentMessages(), clock: () => now }, [
    {
      source: { type: 'wec', name: wec },
      version: version ?? { epoch: 1, sequence },
      // A WEC whose clock is years behind.
      time: '2001-01-01T00:00:00Z',
      content,
    },
  ]);
}

const BEAT: EventContent = { type: 'heartbeat' };

function has(name: string): EventContent {
  const subject = { group: '', resource: 'pods', namespace: 'shop', name };
  const returned = { uid: name, generation: 0, status: {} };
  return { type: 'wec-object', wds: 'wds1', subject, first: true, returned };
}

function sweep(limitMs?: number): Promise<SweepStaleOutcome> {
  const limit = limitMs === undefined ? {} : { limitMs };
  return sweepStale({ store: counted(store), dirty, clock: () => now, ...limit });
}

/** Names of the workload objects that have been told since the last call, each telling once. */
function told(): readonly string[] {
  return dirty.bodies.splice(0).map((body) => {
    const message = parseDirty(body);
    if (message.type !== 'subject' || message.subject.type !== 'workload') return body;
    expect(message).toMatchObject({ silence: true });
    return message.subject.workload.name;
  });
}

describe('a WEC', () => {
  it('is silent when it has sent no heartbeat for longer than five minutes, and not before', async () => {
    await say('wec1', BEAT);
    now += SILENCE_LIMIT_MS;
    expect(await sweep()).toEqual(NOTHING);
    now += 1;
    expect(await sweep()).toEqual({ silent: ['wec1'], speaking: [], labelled: [], unreadable: [] });
    expect([...(await readSilentWecs(store)).keys()]).toEqual(['wec1']);
  });

  it('is silent after the limit that is given', async () => {
    await say('wec1', BEAT);
    now += 11;
    expect(await sweep(10)).toEqual({
      silent: ['wec1'],
      speaking: [],
      labelled: [],
      unreadable: [],
    });
  });

  it('reports again with its next heartbeat, in whatever epoch', async () => {
    await say('wec1', BEAT);
    now += SILENCE_LIMIT_MS + 1;
    await sweep();
    await say('wec1', BEAT, { epoch: 2, sequence: 1 });
    expect(await sweep()).toEqual({ silent: [], speaking: ['wec1'], labelled: [], unreadable: [] });
    expect((await readSilentWecs(store)).size).toBe(0);
  });

  it('does not report again with a heartbeat that is delivered late or twice', async () => {
    await say('wec1', BEAT, { epoch: 2, sequence: 1 });
    now += SILENCE_LIMIT_MS + 1;
    await say('wec1', BEAT, { epoch: 2, sequence: 1 });
    await say('wec1', BEAT, { epoch: 1, sequence: 9 });
    expect(await sweep()).toEqual({ silent: ['wec1'], speaking: [], labelled: [], unreadable: [] });
  });

  it('that has never sent a heartbeat, and a WDS, are not silent', async () => {
    await say('wec1', has('a'));
    const source = { type: 'wds', name: 'wds1' } as const;
    const event = { source, version: { epoch: 1, sequence: 1 }, time: '', content: BEAT };
    const deps = { store, specs: createSpecStore(store), hints: new SentMessages() };
    await recordEvents({ ...deps, dirty, clock: () => now }, [event]);
    now += 2 * SILENCE_LIMIT_MS;
    expect(await sweep()).toEqual(NOTHING);
  });

  it('stays silent for a process whose clock is behind', async () => {
    await say('wec1', BEAT);
    now += SILENCE_LIMIT_MS + 1;
    await sweep();
    now -= 2;
    expect(await sweep()).toEqual(NOTHING);
    expect((await readSilentWecs(store)).size).toBe(1);
  });
});

describe('the workload objects on which a WEC has rows', () => {
  it('are notified when its silence begins and when it ends, but not in between', async () => {
    for (const wec of ['wec1', 'wec2']) await say(wec, BEAT);
    for (const name of ['a', 'b']) await say('wec1', has(name));
    await say('wec2', has('c'));
    now += SILENCE_LIMIT_MS + 1;
    await say('wec2', BEAT);
    await sweep();
    expect(told()).toEqual(['a', 'b']);
    await sweep();
    expect(told()).toEqual([]);
    await say('wec1', BEAT);
    await sweep();
    expect(told()).toEqual(['a', 'b']);
    await sweep();
    expect(told()).toEqual([]);
  });

  it('are notified once for all WECs that become silent together', async () => {
    for (const wec of ['wec1', 'wec2', 'wec3']) {
      await say(wec, has('a'));
      await say(wec, BEAT);
    }
    now += SILENCE_LIMIT_MS + 1;
    await sweep();
    expect(told()).toEqual(['a']);
  });

  it('are all told, on however many pages they stand and however many WECs there are', async () => {
    const names = Array.from({ length: 30 }, (_name, index) => `pod-${index}`);
    for (const name of names) await say('wec-0', has(name));
    for (let wec = 0; wec < 120; wec += 1) await say(`wec-${wec}`, BEAT);
    now += SILENCE_LIMIT_MS + 1;
    const whole = store;
    store = { ...whole, query: (query) => whole.query({ ...query, limit: 7 }) };
    expect((await sweep()).silent).toHaveLength(120);
    expect([...told()].sort()).toEqual([...names].sort());
    expect((await readSilentWecs(store)).size).toBe(120);
  });

  it('are all told when an entry cannot be read, also of other WECs, and the entry is named', async () => {
    for (const wec of ['wec1', 'wec2']) {
      await say(wec, has(`on-${wec}`));
      await say(wec, BEAT);
    }
    const bad = ['SEEN#', 'SEEN#W#wds1//pods/shop/a/b|R#0#wec1', 'SEEN#W#wds1/|R#'];
    await store.put(bad.map((sk): Put => ({ item: { pk: 'E#wec/wec1', sk, version: '1' } })));
    now += SILENCE_LIMIT_MS + 1;
    expect(await sweep()).toEqual({
      silent: ['wec1', 'wec2'],
      speaking: [],
      labelled: [],
      unreadable: bad.map((sk) => `E#wec/wec1 ${sk}`),
    });
    expect(told()).toEqual(['on-wec1', 'on-wec2']);
    expect(await sweep()).toEqual(NOTHING);
  });

  it('are notified by the next sweep after the queue was down', async () => {
    await say('wec1', has('a'));
    await say('wec1', BEAT);
    now += SILENCE_LIMIT_MS + 1;
    dirty.mode = 'lost';
    await expect(sweep()).rejects.toThrow();
    dirty.mode = 'accept';
    expect(await sweep()).toEqual({ silent: ['wec1'], speaking: [], labelled: [], unreadable: [] });
    expect(told()).toEqual(['a']);
  });
});

it('a sweep reads heartbeats and silences, and does nothing else while nothing changes', async () => {
  for (const wec of ['wec1', 'wec2']) {
    await say(wec, has('a'));
    await say(wec, BEAT);
  }
  now += SILENCE_LIMIT_MS + 1;
  await say('wec2', BEAT);
  await sweep();
  told();
  calls = [];
  await sweep();
  expect(calls).toEqual([
    'HEARD LIST',
    'query HEARTBEATS',
    'query SILENCE',
    // Of the WDSes.
    'query HEARTBEATS',
    'query INVENTORY-CHANGED',
  ]);
  expect(dirty.sends).toEqual([1]);
});

it('the entry of a WEC that reports again may be removed after an hour', async () => {
  await say('wec1', BEAT);
  now += SILENCE_LIMIT_MS + 1;
  await sweep();
  await say('wec1', BEAT);
  await sweep();
  const { items } = await store.query({ pk: 'SILENCE' });
  expect(items.map(({ sk, expiresAt }) => [sk, expiresAt])).toEqual([
    ['wec1', Math.ceil(now / 1000) + 3600],
  ]);
});
