import { beforeEach, describe, expect, it } from 'vitest';
import type { EventSource } from '#shared/core/event.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  EVERY_WEC,
  listSenders,
  principalOf,
  redriverUntil,
  registeredClaims,
  registerRedriver,
  registerSender,
  sendersOf,
  unregisterSender,
} from '#shared/state/senders.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const WEC1: EventSource = { type: 'wec', name: 'wec1' };
const WEC10: EventSource = { type: 'wec', name: 'wec10' };
const WDS1: EventSource = { type: 'wds', name: 'wds1' };
const FLEET1: EventSource = { type: 'fleet', name: 'upstream1' };
const ARN = 'arn:aws:iam::000000000000:role/forwarder';

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

async function listed(): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const page of listSenders(store)) all.push(...page);
  return all;
}

async function registeredFor(
  asked: ItemStore,
  principal: string,
  sources: readonly EventSource[],
): Promise<readonly EventSource[]> {
  const claims = sources.map((source) => ({ principal, source }));
  return (await registeredClaims(asked, claims)).map(({ source }) => source);
}

it.each([
  { senderId: 'AROA1:session', principal: 'AROA1' },
  { senderId: 'AROA1:session:x', principal: 'AROA1' },
  { senderId: 'AIDA1', principal: 'AIDA1' },
  { senderId: 'local', principal: 'local' },
])('the principal of $senderId is $principal', ({ senderId, principal }) => {
  expect(principalOf(senderId)).toBe(principal);
});

describe('a registration', () => {
  it('is listed with those of other sources, page by page, and redrivers are not', async () => {
    const one = { source: WEC1, principal: 'A', arn: ARN };
    const two = { source: WEC1, principal: 'B' };
    const wds = { source: WDS1, principal: 'C' };
    const fleet = { source: FLEET1, principal: 'E' };
    for (const registration of [two, one, wds, fleet]) await registerSender(store, registration);
    await registerRedriver(store, 'D', 1);
    const whole = store;
    store = { ...whole, query: (query) => whole.query({ ...query, limit: 1 }) };
    expect(await listed()).toEqual([fleet, wds, one, two]);
    expect(await sendersOf(store, FLEET1)).toEqual([fleet]);
  });

  it('again changes nothing, and taken back twice is taken back', async () => {
    const registration = { source: WEC1, principal: 'A', arn: ARN };
    await registerSender(store, registration);
    await registerSender(store, registration);
    expect(await listed()).toEqual([registration]);
    await unregisterSender(store, registration);
    await unregisterSender(store, registration);
    expect(await listed()).toEqual([]);
  });

  it('is one of several of its source while roles are exchanged, and not of a source with a longer name', async () => {
    for (const principal of ['OLD', 'NEW'])
      await registerSender(store, { source: WEC1, principal });
    await registerSender(store, { source: WEC10, principal: 'OTHER' });
    expect((await sendersOf(store, WEC1)).map(({ principal }) => principal)).toEqual([
      'NEW',
      'OLD',
    ]);
    expect(await registeredFor(store, 'NEW', [WEC1, WEC10, WDS1])).toEqual([WEC1]);
    await unregisterSender(store, { source: WEC1, principal: 'OLD' });
    expect(await registeredFor(store, 'OLD', [WEC1])).toEqual([]);
    expect(await registeredFor(store, 'NEW', [WEC1])).toEqual([WEC1]);
  });

  it('of every WEC is one of its own, is listed first of the WECs, and is not that of any of them', async () => {
    const every = { source: EVERY_WEC, principal: 'ITS', arn: ARN };
    for (const registration of [{ source: WEC1, principal: 'A' }, every])
      await registerSender(store, registration);
    expect(await listed()).toEqual([every, { source: WEC1, principal: 'A' }]);
    expect(await sendersOf(store, WEC1)).toEqual([{ source: WEC1, principal: 'A' }]);
    expect(await sendersOf(store, EVERY_WEC)).toEqual([every]);
    expect(await registeredFor(store, 'ITS', [WEC1, EVERY_WEC])).toEqual([EVERY_WEC]);
    await unregisterSender(store, every);
    expect(await sendersOf(store, EVERY_WEC)).toEqual([]);
  });

  it.each([
    { what: 'of every WDS', source: { ...WDS1, name: '*' }, principal: 'A' },
    { what: 'of some WECs', source: { ...WEC1, name: 'wec*' }, principal: 'A' },
    { what: 'without a principal', source: WEC1, principal: '' },
    { what: 'of a principal with a slash', source: WEC1, principal: 'a/b' },
    { what: 'of a source without a name', source: { ...WEC1, name: '' }, principal: 'A' },
    { what: 'of a source with a slash', source: { ...WEC1, name: 'a/b' }, principal: 'A' },
    { what: 'too long for a key', source: { ...WEC1, name: 'é'.repeat(510) }, principal: 'A' },
  ])('$what is rejected', async ({ source, principal }) => {
    await expect(registerSender(store, { source, principal })).rejects.toThrow(RangeError);
    expect(await listed()).toEqual([]);
  });

  it('of a source whose name no key can hold is not there, without a read that would fail', async () => {
    await registerSender(store, { source: WEC1, principal: 'A' });
    const reads: number[] = [];
    const counting: ItemStore = {
      ...store,
      get: (keys) => {
        reads.push(...keys.map(({ sk }) => sk.length));
        return store.get(keys);
      },
    };
    const long: EventSource = { type: 'wec', name: 'x'.repeat(1_020) };
    expect(await registeredFor(counting, 'A', [long, WEC1])).toEqual([WEC1]);
    for (const principal of ['x'.repeat(1_020), 'half a pair \ud800']) {
      expect(await registeredFor(counting, principal, [WEC1])).toEqual([]);
      expect(await redriverUntil(counting, principal)).toBe(0);
    }
    expect(reads).toEqual(['wec/wec1/A'.length]);
  });
});

describe('a redriver', () => {
  it('is known until the time that was given last, which the store need not enforce', async () => {
    expect(await redriverUntil(store, 'A')).toBe(0);
    await registerRedriver(store, 'A', 1_500);
    await registerRedriver(store, 'A', 2_500);
    expect(await redriverUntil(store, 'A')).toBe(2_500);
    const { items } = await store.query({ pk: 'SENDERS' });
    expect(items.map(({ expiresAt }) => expiresAt)).toEqual([3]);
  });
});
