import { beforeEach, describe, expect, it } from 'vitest';
import { createSenderCheck, type SenderCheck } from '#functions/record-events/sender-check.ts';
import { httpSender, LOCAL_SENDER, trustLocalSender } from '#local/stack/local-senders.ts';
import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { BodyError, StoreUnavailableError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  EVERY_WEC,
  registerRedriver,
  registerSender,
  unregisterSender,
} from '#shared/state/senders.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const WEC1: EventSource = { type: 'wec', name: 'wec1' };
const WEC2: EventSource = { type: 'wec', name: 'wec2' };
const WDS1: EventSource = { type: 'wds', name: 'wds1' };
const SENDER = 'AROAONE:forwarder';
const ONE = { source: WEC1, principal: 'AROAONE' };
const EVERY = { source: EVERY_WEC, principal: 'AROAONE' };

let store: ItemStore;
let now: number;
/** Sort keys that were read. */
let reads: string[];
let check: SenderCheck;

beforeEach(() => {
  const inner = createMemoryItemStore();
  reads = [];
  now = 1_000_000;
  store = {
    ...inner,
    get: async (keys) => {
      reads.push(...keys.map(({ sk }) => sk));
      return inner.get(keys);
    },
  };
  check = createSenderCheck({ store, clock: () => now, redrivers: ['AROASWEEP:any'] });
});

/** The sources for which a sender may report, as texts. */
async function allowedFor(
  asked: SenderCheck,
  senderId: string,
  sources: readonly EventSource[],
): Promise<readonly string[]> {
  const claims = sources.map((source) => ({ senderId, source }));
  const rights = await asked.rights([{ claims, redrivers: [] }]);
  return claims
    .filter((claim) => rights.mayReport(claim))
    .map(({ source }) => sourceText(source))
    .sort();
}

const allowed = (...sources: readonly EventSource[]): Promise<readonly string[]> =>
  allowedFor(check, SENDER, sources);

async function mayRedrive(asked: SenderCheck, senderId: string): Promise<boolean> {
  return (await asked.rights([{ claims: [], redrivers: [senderId] }])).mayRedrive(senderId);
}

describe('what a sender may say', () => {
  it('is asked once in a minute while it is allowed', async () => {
    await registerSender(store, ONE);
    expect(await allowed(WEC1)).toEqual(['wec/wec1']);
    now += 59_999;
    expect(await allowed(WEC1)).toEqual(['wec/wec1']);
    expect(reads).toEqual(['wec/wec1/AROAONE']);
    now += 1;
    await allowed(WEC1);
    expect(reads).toHaveLength(2);
  });

  it('is revoked within a minute', async () => {
    await registerSender(store, ONE);
    await allowed(WEC1);
    await unregisterSender(store, ONE);
    now += 60_000;
    expect(await allowed(WEC1)).toEqual([]);
  });

  it('is revoked within a minute of the beginning of the read that has found it', async () => {
    await registerSender(store, ONE);
    const slow: ItemStore = {
      ...store,
      get: async (keys) => {
        const items = await store.get(keys);
        now += 13_000;
        return items;
      },
    };
    const slowly = createSenderCheck({ store: slow, clock: () => now, redrivers: [] });
    expect(await allowedFor(slowly, SENDER, [WEC1])).toEqual(['wec/wec1']);
    await unregisterSender(store, ONE);
    now += 46_999;
    expect(await allowedFor(slowly, SENDER, [WEC1])).toEqual(['wec/wec1']);
    now += 1;
    expect(await allowedFor(slowly, SENDER, [WEC1])).toEqual([]);
  });

  it('is asked each time while it is not allowed, so that registering takes effect at once', async () => {
    expect(await allowed(WEC1, WEC2)).toEqual([]);
    await registerSender(store, ONE);
    expect(await allowed(WEC1, WEC2)).toEqual(['wec/wec1']);
    expect(await allowed(WEC1, WEC2)).toEqual(['wec/wec1']);
    expect(reads).toEqual([
      ...['wec/wec1/AROAONE', 'wec/wec2/AROAONE', 'wec/*/AROAONE'],
      ...['wec/wec1/AROAONE', 'wec/wec2/AROAONE', 'wec/*/AROAONE'],
      ...['wec/wec2/AROAONE', 'wec/*/AROAONE'],
    ]);
  });

  it('is not what another may say', async () => {
    await registerSender(store, ONE);
    await allowed(WEC1);
    expect(await allowedFor(check, 'AROATWO:forwarder', [WEC1])).toEqual([]);
    expect(await allowedFor(check, 'AROAONE:other-session', [WEC1])).toEqual(['wec/wec1']);
  });

  it('is said by none while the store is down', async () => {
    const down: ItemStore = {
      ...store,
      get: () => Promise.reject(new StoreUnavailableError('get')),
    };
    const blind = createSenderCheck({ store: down, clock: () => now, redrivers: [] });
    await expect(allowedFor(blind, SENDER, [WEC1])).rejects.toThrow(StoreUnavailableError);
    await expect(mayRedrive(blind, SENDER)).rejects.toThrow(StoreUnavailableError);
  });

  it('is forgotten early rather than remembered without bound', async () => {
    await registerSender(store, ONE);
    await allowed(WEC1);
    for (let index = 0; index < 120_000; index += 1) {
      const principal = `P${index}`;
      await registerSender(store, { source: WEC2, principal });
      await allowedFor(check, principal, [WEC2]);
    }
    reads.length = 0;
    expect(await allowed(WEC1)).toEqual(['wec/wec1']);
    expect(reads).toEqual(['wec/wec1/AROAONE']);
  });
});

describe('the senders of many messages', () => {
  const wecs = Array.from({ length: 500 }, (_wec, index) => ({
    type: 'wec' as const,
    name: `wec${index}`,
  }));
  let requests: number;

  beforeEach(() => {
    requests = 0;
    const counting: ItemStore = {
      ...store,
      get: (keys) => {
        requests += 1;
        return store.get(keys);
      },
    };
    check = createSenderCheck({ store: counting, clock: () => now, redrivers: ['AROASWEEP:any'] });
  });

  it('are checked with a read for each hundred if each is registered for its source', async () => {
    const claims = wecs.map((source) => ({ senderId: `AROA${source.name}:f`, source }));
    for (const { source } of claims)
      await registerSender(store, { source, principal: `AROA${source.name}` });
    const rights = await check.rights([
      { claims, redrivers: [] },
      { claims, redrivers: [] },
    ]);
    expect(claims.every(rights.mayReport)).toBe(true);
    expect(requests).toBe(5);
    expect(reads).toHaveLength(wecs.length);
    await check.rights([{ claims, redrivers: [] }]);
    expect(requests).toBe(5);
  });

  it('are checked with one more read if one of them claims to be everybody', async () => {
    const claims = wecs.map((source) => ({ senderId: SENDER, source }));
    await registerSender(store, ONE);
    const rights = await check.rights([{ claims, redrivers: [] }]);
    expect(claims.filter(rights.mayReport).map(({ source }) => source.name)).toEqual(['wec1']);
    expect(requests).toBe(6);
    expect(reads).toHaveLength(wecs.length + 1);
  });

  it('are known as far as reads succeed, and then not read again', async () => {
    const claims = wecs.map((source) => ({ senderId: `AROA${source.name}:f`, source }));
    for (const { source } of claims)
      await registerSender(store, { source, principal: `AROA${source.name}` });
    let isHot = true;
    const hot: ItemStore = {
      ...store,
      get: (keys) =>
        isHot && keys.some(({ sk }) => sk.startsWith('wec/wec250/'))
          ? Promise.reject(new StoreUnavailableError('get'))
          : store.get(keys),
    };
    const throttled = createSenderCheck({ store: hot, clock: () => now, redrivers: [] });
    const rights = await throttled.rights(
      claims.map((claim) => ({ claims: [claim], redrivers: [] })),
    );
    expect(claims.slice(0, 200).every(rights.mayReport)).toBe(true);
    expect(() => claims.slice(200, 300).some(rights.mayReport)).toThrow(StoreUnavailableError);
    expect(claims.slice(300).every(rights.mayReport)).toBe(true);
    [isHot, reads.length] = [false, 0];
    const again = await throttled.rights([{ claims, redrivers: [] }]);
    expect(claims.every(again.mayReport)).toBe(true);
    expect(reads).toHaveLength(100);
  });

  it('have their own rights each, and none that was not asked for', async () => {
    for (const registration of [EVERY, { source: WEC2, principal: 'AROATWO' }])
      await registerSender(store, registration);
    const other = 'AROATWO:f';
    const rights = await check.rights([
      ...[WEC1, WEC2].map((source) => ({
        redrivers: [],
        claims: [SENDER, other].map((senderId) => ({ senderId, source })),
      })),
      ...['AROASWEEP:x', other].map((redriver) => ({ redrivers: [redriver], claims: [] })),
    ]);
    const may = (senderId: string) =>
      [WEC1, WEC2, WDS1].map((source) => rights.mayReport({ senderId, source }));
    expect(may(SENDER)).toEqual([true, true, false]);
    expect(may(other)).toEqual([false, true, false]);
    expect(may('AROATHREE:f')).toEqual([false, false, false]);
    expect(['AROASWEEP:x', other, 'AROATHREE'].map(rights.mayRedrive)).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('a sender for every WEC', () => {
  it('may report each of them, and is looked up once in a minute for any number', async () => {
    await registerSender(store, EVERY);
    expect(await allowed(WEC1)).toEqual(['wec/wec1']);
    now += 59_999;
    expect(await allowed(WEC2, WEC1)).toEqual(['wec/wec1', 'wec/wec2']);
    expect(await allowed(EVERY_WEC)).toEqual(['wec/*']);
    expect(reads).toEqual(['wec/wec1/AROAONE', 'wec/*/AROAONE']);
    now += 1;
    expect(await allowed(EVERY_WEC)).toEqual(['wec/*']);
    expect(reads).toHaveLength(3);
  });

  it('is accepted beside senders of single WECs, and by its own registration if it has one', async () => {
    for (const registration of [EVERY, ONE]) await registerSender(store, registration);
    expect(await allowed(WEC1, WEC2)).toEqual(['wec/wec1', 'wec/wec2']);
    expect(await allowedFor(check, 'AROATWO:forwarder', [WEC1])).toEqual([]);
    expect(await allowedFor(check, 'AROATWO:forwarder', [EVERY_WEC])).toEqual([]);
  });

  it('may report no WDS, also while it is cached', async () => {
    await registerSender(store, EVERY);
    expect(await allowed(WDS1)).toEqual([]);
    expect(reads).toEqual(['wds/wds1/AROAONE']);
    expect(await allowed(WEC1, WDS1)).toEqual(['wec/wec1']);
    expect(await allowed(WDS1)).toEqual([]);
  });

  it('is revoked within a minute', async () => {
    await registerSender(store, EVERY);
    await allowed(WEC1);
    await unregisterSender(store, EVERY);
    now += 60_000;
    expect(await allowed(WEC1, EVERY_WEC)).toEqual([]);
  });

  it('is not every sender that may report one', async () => {
    await registerSender(store, ONE);
    await allowed(WEC1);
    expect(await allowed(EVERY_WEC)).toEqual([]);
  });
});

describe('a redriver', () => {
  it('is the function that redrives, in every session and without a read', async () => {
    expect(await mayRedrive(check, 'AROASWEEP:sweep-stale')).toBe(true);
    expect(reads).toEqual([]);
  });

  it('is an operator while his registration lasts, though he is remembered', async () => {
    expect(await mayRedrive(check, 'AIDA')).toBe(false);
    await registerRedriver(store, 'AIDA', now + 1_000);
    expect(await mayRedrive(check, 'AIDA')).toBe(true);
    expect(await mayRedrive(check, 'AIDA')).toBe(true);
    expect(reads).toEqual(['redriver/AIDA', 'redriver/AIDA']);
    now += 1_000;
    expect(await mayRedrive(check, 'AIDA')).toBe(false);
  });

  it('whose registration cannot be read delays no other', async () => {
    await registerRedriver(store, 'AIDA', now + 1_000);
    await store.put([{ item: { pk: 'SENDERS', sk: 'redriver/BAD', body: '{}' } }]);
    const asked = ['AIDA', 'BAD'].map((redriver) => ({ redrivers: [redriver], claims: [] }));
    const rights = await check.rights(asked);
    expect(rights.mayRedrive('AIDA')).toBe(true);
    expect(() => rights.mayRedrive('BAD')).toThrow(BodyError);
  });

  it('is read once for a batch, also if it may not redrive and brings several messages', async () => {
    await registerRedriver(store, 'AIDA', now + 1_000);
    const claims = [{ senderId: SENDER, source: WEC1 }];
    const rights = await check.rights([
      { redrivers: ['NOBODY'], claims },
      { redrivers: ['AIDA', 'NOBODY'], claims },
    ]);
    expect(rights.mayRedrive('NOBODY')).toBe(false);
    expect(reads.toSorted()).toEqual(['redriver/AIDA', 'redriver/NOBODY']);
  });

  it('may report no source by that', async () => {
    await registerRedriver(store, 'AROAONE', now + 1_000);
    await mayRedrive(check, SENDER);
    expect(await allowed(WEC1)).toEqual([]);
  });
});

describe('the check of the embedded stack', () => {
  it('trusts what this process has sent, and nothing else', async () => {
    expect(await allowedFor(trustLocalSender, LOCAL_SENDER, [WEC1])).toEqual(['wec/wec1']);
    expect(await mayRedrive(trustLocalSender, LOCAL_SENDER)).toBe(true);
    expect(await allowedFor(trustLocalSender, 'AROAONE', [WEC1])).toEqual([]);
    expect(await mayRedrive(trustLocalSender, 'AROAONE')).toBe(false);
  });

  it.each([
    { token: WEC1, speaksFor: ['wec/wec1'] },
    { token: WDS1, speaksFor: ['wds/wds1'] },
    { token: EVERY_WEC, speaksFor: ['wec/*', 'wec/wec1', 'wec/wec2'] },
    { token: { ...WEC1, name: 'nobody' }, speaksFor: [] },
  ])('allows events that arrived by HTTP with the token of $token only for that', async (row) => {
    const sender = httpSender(row.token);
    const sources = [WEC1, WEC2, WDS1, EVERY_WEC];
    expect(await allowedFor(trustLocalSender, sender, sources)).toEqual(row.speaksFor);
    expect(await mayRedrive(trustLocalSender, sender)).toBe(false);
    expect(trustLocalSender.called(httpSender({ ...WEC1, name: 'a:b' }))).toBe(
      'the token of wec/a:b',
    );
  });
});
