import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeFeed } from '#shared/api/change-feed.ts';
import { pacedSource } from '#shared/api/paced.ts';
import { at } from '#shared/core/json.ts';
import { NOT_NAMED } from '#shared/core/status-api/messages.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { counts } from '#test/fixtures/wec-rows.ts';
import { AskedApi, KEYS, ROOT, status, TABLE, WEB } from './ask.ts';

const WATCH = `${ROOT}/namespaces/shop/explanations?watch=true`;
const API = { ...WEB, name: 'api' };

function ready(wec: string, available: number, workload = WEB): WecStatus {
  const said = { ...counts(3, [3, available, available]), observedGeneration: 7 };
  return status(workload, wec, { status: said });
}

function shop(): AskedApi {
  const asked = new AskedApi({ paceMs: 0 });
  for (const workload of [API, WEB]) {
    asked.source.put(ready('east', 3, workload));
    asked.source.put(ready('west', 3, workload));
  }
  return asked;
}

const BOTH = ['ADDED deployments.apps:api', 'ADDED deployments.apps:web'];

describe('a watch of explanations', () => {
  it('tells when a WEC changes one, and when the result is applied', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    expect(await watch.take(2)).toEqual(BOTH);
    asked.source.put(ready('west', 1));
    expect(await watch.next()).toMatchObject({
      type: 'MODIFIED',
      object: { verdict: { status: 'Progressing', decidedBy: ['west'] } },
    });
    const applied = { upToDate: true, since: '2026-11-25T10:00:00Z' };
    asked.source.settle(WEB, { applied, refused: [] });
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { applied } });
    await watch.leave();
  });

  it('tells nothing if what has changed is the same in the explanation', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.put(ready('west', 3));
    asked.source.settle(WEB);
    asked.source.putWec({ name: 'east', ownLabels: {} });
    asked.source.put(ready('west', 2, API));
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:api']);
    asked.source.put(ready('west', 1));
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:web']);
    await watch.leave();
  });

  it('tells of objects that Bindings name anew, and of those that none names any more', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.put(status(KEYS, 'east'));
    expect(await watch.take(1)).toEqual(['ADDED secrets:keys']);
    asked.source.bind(WEB, [ready('east', 3)]);
    expect(await watch.next()).toMatchObject({
      type: 'MODIFIED',
      object: { decision: { action: 'Copy' } },
    });
    asked.source.bind(WEB, []);
    expect(await watch.next()).toMatchObject({
      type: 'DELETED',
      object: { decision: { reason: NOT_NAMED }, fields: [] },
    });
    asked.source.bind(WEB, [ready('east', 3)]);
    expect(await watch.take(1)).toEqual(['ADDED deployments.apps:web']);
    await watch.leave();
  });

  it('of objects without a namespace tells of them', async () => {
    const asked = new AskedApi({ paceMs: 0 });
    const role = { ...KEYS, resource: 'clusterroles', namespace: '', name: 'system:node' };
    asked.source.put(status(role, 'east'));
    const watch = await asked.watch(`${ROOT}/clusterexplanations?watch=true`);
    expect(await watch.take(1)).toEqual(['ADDED clusterroles:system:node']);
    asked.source.bind(role, []);
    expect(await watch.take(1)).toEqual(['DELETED clusterroles:system:node']);
    await watch.leave();
  });

  it('reads only the objects that are sent to a WEC that becomes silent', async () => {
    const asked = shop();
    asked.source.put(ready('north', 3, API));
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.reads.length = 0;
    asked.source.putWec({ name: 'north', ownLabels: {} }, (one) => ({ ...one, state: 'Silent' }));
    expect(await watch.next()).toMatchObject({
      type: 'MODIFIED',
      object: { workload: { name: 'api' }, wecs: { silent: ['north'] } },
    });
    expect(asked.source.reads).toEqual(['deployments.apps:api']);
    await watch.leave();
  });

  it('has events relative to the health', async () => {
    const asked = shop();
    const watch = await asked.watch(`${WATCH}&fieldSelector=health!=Healthy&resourceVersion=1004`);
    const events: string[] = [];
    for (const available of [1, 2, 3, 1]) {
      const next = watch.take(1);
      await asked.settled();
      asked.source.put(ready('west', available));
      events.push(...(await next));
    }
    expect(events).toEqual(
      ['ADDED', 'MODIFIED', 'DELETED', 'ADDED'].map((type) => `${type} deployments.apps:web`),
    );
    await watch.leave();
  });

  it('is a Table for kubectl', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH, TABLE);
    const event = await watch.next();
    expect(event).toMatchObject({
      object: { kind: 'Table', rows: [{ cells: expect.any(Array) }] },
    });
    await watch.leave();
  });

  it('reads an explanation once, for all watches and all of its WECs that changed together', async () => {
    const asked = shop();
    const watches = await Promise.all(Array.from({ length: 20 }, () => asked.watch(WATCH)));
    for (const watch of watches) await watch.take(2);
    asked.source.reads.length = 0;
    const events = watches.map((watch) => watch.next());
    asked.source.put(ready('east', 2));
    asked.source.put(ready('west', 1));
    asked.source.settle(WEB);
    for (const event of events)
      expect(await event).toMatchObject({ object: { verdict: { decidedBy: ['east', 'west'] } } });
    expect(new Set(asked.source.reads)).toEqual(new Set(['deployments.apps:web']));
    expect(asked.source.reads.length).toBeLessThanOrEqual(2);
    for (const watch of watches) await watch.leave();
  });

  it('that continues later gets what has changed meanwhile, also if a Binding has', async () => {
    const asked = shop();
    asked.source.bind(API, []);
    asked.source.put(ready('west', 1));
    const watch = await asked.watch(`${WATCH}&resourceVersion=1004`);
    expect(await watch.take(2)).toEqual([
      'DELETED deployments.apps:api',
      'ADDED deployments.apps:web',
    ]);
    await watch.leave();
  });

  it('shows nothing of a kind that the reader may not get', async () => {
    const asked = shop();
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.put(status(KEYS, 'east'));
    asked.source.put(ready('west', 1));
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:web']);
    await watch.leave();
  });

  it('that does not read for long reads in the end what is there, at once', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    for (let available = 0; available < 40; available += 1) {
      asked.source.put(ready('west', available % 3));
      await asked.settled();
    }
    asked.source.reads.length = 0;
    asked.source.put(ready('east', 1, API));
    let last: unknown;
    while (last !== 'api') last = at(await watch.next(), 'object', 'workload', 'name');
    expect(asked.source.reads.length).toBeLessThan(10);
    await watch.leave();
  });
});

describe('the changes that a watch reads itself', () => {
  it('have every name that has changed, also one that has changed again since', async () => {
    const source = new FakeStatusSource();
    source.put(ready('east', 3));
    source.put(ready('west', 3));
    const feed = new ChangeFeed({
      source: {
        revision: () => source.revision(),
        changes: (after) => source.changes(after),
        // The feed does not hear of the last change yet.
        subscribe: () => () => undefined,
      },
      onError: (error) => expect.unreachable(String(error)),
    });
    const leave = await feed.join(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    source.put(ready('east', 1));
    const changes = await feed.after(1_000, new AbortController().signal);
    expect(changes).toMatchObject({
      revision: 1_002,
      changed: [
        { revision: 1_002, ref: { wec: 'west' } },
        { revision: 1_002, ref: { wec: 'east' } },
      ],
    });
    leave();
  });
});

describe('a paced source', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** @param readMs how long what follows from a call takes */
  function subscribed(readMs = 0) {
    const source = new FakeStatusSource();
    const calls: number[] = [];
    const begun = Date.now();
    const spentMs = (): number =>
      calls.reduce((sum, at) => sum + Math.min(readMs, Date.now() - begun - at), 0);
    const end = pacedSource(source, { paceMs: 500, spentMs }).subscribe(() =>
      calls.push(Date.now() - begun),
    );
    return { source, calls, end };
  }

  function changeAllTheTime({ source }: ReturnType<typeof subscribed>, seconds: number): void {
    for (let step = 0; step < seconds * 10; step += 1) {
      source.put(ready('east', 3));
      vi.advanceTimersByTime(100);
    }
  }

  it.each([
    { readMs: 100, pauseMs: 500 },
    { readMs: 700, pauseMs: 2_800 },
    { readMs: 60_000, pauseMs: 10_000 },
  ])('calls every $pauseMs ms if reading takes $readMs ms', ({ readMs, pauseMs }) => {
    const subscription = subscribed(readMs);
    changeAllTheTime(subscription, 21);
    const { calls, end } = subscription;
    expect(calls.slice(0, 3)).toEqual([0, pauseMs, 2 * pauseMs]);
    end();
  });

  it('calls at once, and then once for all that happens in a time', () => {
    const { source, calls, end } = subscribed();
    for (let step = 0; step < 12; step += 1) {
      source.put(ready('east', 3));
      vi.advanceTimersByTime(100);
    }
    expect(calls).toEqual([0, 500, 1_000]);
    vi.advanceTimersByTime(10_000);
    expect(calls).toEqual([0, 500, 1_000, 1_500]);
    source.put(ready('east', 3));
    expect(calls.at(-1)).toBe(11_200);
    end();
  });

  it('calls nobody who has left', () => {
    const { source, calls, end } = subscribed();
    source.put(ready('east', 3));
    source.put(ready('east', 3));
    end();
    vi.advanceTimersByTime(10_000);
    source.put(ready('east', 3));
    expect(calls).toEqual([0]);
    expect(source.subscribers).toBe(0);
  });
});
