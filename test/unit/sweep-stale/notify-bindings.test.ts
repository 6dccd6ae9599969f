import { beforeEach, describe, expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { settleSilentAfter } from '#functions/sweep-stale/silent-after.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import type { EventContent, EventSource } from '#shared/core/event.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { putTimedSubject } from '#shared/state/silent-after.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

let store: ItemStore;
let dirty: SentMessages;
let now: number;
let sequence: number;

beforeEach(() => {
  store = createMemoryItemStore();
  dirty = new SentMessages();
  now = 1_000_000;
  sequence = 0;
});

async function say(source: EventSource, ...contents: readonly EventContent[]): Promise<void> {
  const deps = { store, specs: createSpecStore(store), hints: new SentMessages() };
  const events = contents.map((content) => {
    sequence += 1;
    return { source, version: { epoch: 1, sequence }, time: '2001-01-01T00:00:00Z', content };
  });
  await recordEvents({ ...deps, dirty: new SentMessages(), clock: () => now }, events);
}

const BEAT: EventContent = { type: 'heartbeat' };

async function beat(...wecs: readonly string[]): Promise<void> {
  for (const name of wecs) await say({ type: 'wec', name }, BEAT);
}

async function tellOf(resource: string, name: string, wds = 'wds1'): Promise<void> {
  const subject = { group: 'control.kubestellar.io', resource, namespace: '', name };
  const object = { metadata: { name, uid: name }, spec: {} };
  await say({ type: 'wds', name: wds }, { type: 'wds-object', subject, first: true, object });
}

/** What the sweep tells Bindings: `<name>: <WECs>`, or only the name where it names none; sorted. */
async function told(): Promise<readonly string[]> {
  const deps = { store, dirty, clock: () => now };
  await sweepStale(deps);
  await settleSilentAfter(deps);
  return dirty.bodies
    .splice(0)
    .flatMap((body) => {
      const message = parseDirty(body);
      if (message.type !== 'subject' || message.subject.type !== 'binding') return [];
      expect(message.silence).toBe(true);
      const { wds, name } = message.subject;
      return [`${wds}/${name}${message.wecs === undefined ? '' : `: ${message.wecs}`}`];
    })
    .sort();
}

/** Two Bindings, one of them with its policy, that know of two WECs. */
async function begin(): Promise<void> {
  await say({ type: 'wds', name: 'wds1' }, BEAT);
  for (const name of ['a', 'b']) await tellOf('bindings', name);
  await tellOf('bindingpolicies', 'a');
  await tellOf('statuscollectors', 'c');
  await beat('wec1', 'wec2');
  expect(await told()).toEqual(['wds1/a', 'wds1/b']);
}

describe('the Bindings', () => {
  beforeEach(begin);

  it('are notified once of the WECs that have ever reported, and of nothing while nothing changes', async () => {
    expect(await told()).toEqual([]);
    await beat('wec1', 'wec2');
    expect(await told()).toEqual([]);
  });

  it('are notified of a WEC that reports for the first time, and of one that is removed', async () => {
    await beat('wec3');
    expect(await told()).toEqual(['wds1/a: wec3', 'wds1/b: wec3']);
    await store.delete([{ key: heartbeatKey({ type: 'wec', name: 'wec1' }) }]);
    expect(await told()).toEqual(['wds1/a: wec1', 'wds1/b: wec1']);
  });

  it('are notified of WECs that become silent and that report again', async () => {
    now += SILENCE_LIMIT_MS + 1;
    await beat('wec2');
    expect(await told()).toEqual(['wds1/a: wec1', 'wds1/b: wec1']);
    expect(await told()).toEqual([]);
    await beat('wec1');
    expect(await told()).toEqual(['wds1/a: wec1', 'wds1/b: wec1']);
  });

  it('are notified of a silence with a different beginning', async () => {
    now += SILENCE_LIMIT_MS + 1;
    expect(await told()).toEqual(['wds1/a: wec1,wec2', 'wds1/b: wec1,wec2']);
    now += 1_000;
    await beat('wec1');
    now += SILENCE_LIMIT_MS + 1;
    expect(await told()).toEqual(['wds1/a: wec1', 'wds1/b: wec1']);
  });

  it('are all notified when a WDS reports for the first time: its Bindings are known from then on', async () => {
    await tellOf('bindings', 'z', 'wds2');
    await beat('wec3');
    expect(await told()).toEqual(['wds1/a: wec3', 'wds1/b: wec3']);
    await say({ type: 'wds', name: 'wds2' }, BEAT);
    expect(await told()).toEqual(['wds1/a', 'wds1/b', 'wds2/z']);
  });

  it('are notified without names if there are too many', async () => {
    await beat(...Array.from({ length: 101 }, (_wec, index) => `new${index}`));
    expect(await told()).toEqual(['wds1/a', 'wds1/b']);
  });

  it('are notified by the next sweep after the queue was down', async () => {
    await beat('wec3');
    dirty.mode = 'lost';
    await expect(told()).rejects.toThrow();
    dirty.mode = 'accept';
    expect(await told()).toEqual(['wds1/a', 'wds1/b']);
    expect(await told()).toEqual([]);
  });

  it('with a time of their own are also notified after that time', async () => {
    await putTimedSubject(store, { partition: 'B#wds1/b', silentAfterMs: 120_000 }, 1);
    now += 120_001;
    await beat('wec1');
    expect(await told()).toEqual(['wds1/b: wec2']);
    expect(await told()).toEqual([]);
  });
});

it('a sweep that another one overtakes leaves the list that the other has stored', async () => {
  await begin();
  await beat('wec3');
  let others: readonly string[] = [];
  const slow: ItemStore = {
    ...store,
    put: async (puts) => {
      const isList = puts.some(({ item }) => item.pk === 'HEARD' && item.sk === 'LIST');
      if (isList && others.length === 0) others = await told();
      return store.put(puts);
    },
  };
  await sweepStale({ store: slow, dirty, clock: () => now });
  expect(others).toEqual(['wds1/a: wec3', 'wds1/b: wec3']);
  expect(dirty.bodies).toEqual([]);
  expect(await told()).toEqual([]);
});
