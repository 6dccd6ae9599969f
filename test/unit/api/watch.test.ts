import { describe, expect, it } from 'vitest';
import { placesOfUserTaken, placesTaken } from '#shared/api/messages.ts';
import { at } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { AskedApi, KEYS, METADATA, names, ROOT, status, TABLE, userOf, WEB } from './ask.ts';

const SHOP = `${ROOT}/namespaces/shop/wecstatuses`;
const WATCH = `${SHOP}?watch=true`;
const INITIAL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const degraded = { health: { status: 'Degraded' } } as const;

function shop(options: ConstructorParameters<typeof AskedApi>[0] = {}): AskedApi {
  const asked = new AskedApi(options);
  asked.source.put(status(WEB, 'east'));
  asked.source.put(status(WEB, 'west'));
  return asked;
}

async function revisionOf(asked: AskedApi): Promise<string> {
  return String(await asked.source.revision());
}

describe('a watch', () => {
  it('without a revision begins with what there is', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    expect(await watch.take(2)).toEqual([
      'ADDED deployments.apps:web:east',
      'ADDED deployments.apps:web:west',
    ]);
    asked.source.put(status(WEB, 'west', degraded));
    const event = await watch.next();
    expect(event).toMatchObject({
      type: 'MODIFIED',
      object: { health: { status: 'Degraded' }, metadata: { resourceVersion: '1003' } },
    });
    await watch.leave();
  });

  it('from a revision has what came later', async () => {
    const asked = shop();
    const watch = await asked.watch(`${WATCH}&resourceVersion=${await revisionOf(asked)}`);
    const first = watch.next();
    await asked.settled();
    asked.source.put(status(WEB, 'north'));
    asked.source.put(status({ ...WEB, namespace: 'bank' }, 'north'));
    asked.source.put(status(WEB, 'east'));
    expect(await first).toMatchObject({ type: 'ADDED', object: { wec: 'north' } });
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:web:east']);
    await watch.leave();
  });

  it('has events relative to the selector', async () => {
    const asked = shop();
    const watch = await asked.watch(`${WATCH}&fieldSelector=health=Degraded&${INITIAL}`);
    expect(await watch.take(1)).toEqual(['BOOKMARK 1002']);
    const events = [];
    for (const health of ['Degraded', 'Degraded', 'Healthy', 'Degraded'] as const) {
      asked.source.put(status(WEB, 'east', { health: { status: health } }));
      events.push(...(await watch.take(1)));
    }
    expect(events).toEqual(
      ['ADDED', 'MODIFIED', 'DELETED', 'ADDED'].map((type) => `${type} deployments.apps:web:east`),
    );
    asked.source.put(status(WEB, 'west'));
    asked.source.put(status(WEB, 'east', degraded));
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:web:east']);
    await watch.leave();
  });

  it('by health has what its list could not find before the object was aggregated', async () => {
    const asked = shop();
    asked.source.putUncounted(status(WEB, 'west', degraded));
    const watch = await asked.watch(`${WATCH}&fieldSelector=health=Degraded&${INITIAL}`);
    expect(await watch.take(1)).toEqual(['BOOKMARK 1003']);
    asked.source.settle(WEB);
    expect(await watch.take(1)).toEqual(['ADDED deployments.apps:web:west']);
    asked.source.settle(WEB);
    asked.source.put(status(WEB, 'east', degraded));
    expect(await watch.take(1)).toEqual(['ADDED deployments.apps:web:east']);
    await watch.leave();
  });

  it('of everything reads nothing because a result has changed', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    const { length } = asked.source.reads;
    asked.source.settle(WEB);
    asked.source.put(status(WEB, 'east'));
    await watch.take(1);
    expect(asked.source.reads.slice(length)).toEqual(['deployments.apps:web:east']);
    await watch.leave();
  });

  it('tells of WECs that a Binding does not name any more', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.bind(WEB, [status(WEB, 'east'), status(WEB, 'north')]);
    expect(await watch.take(3)).toEqual([
      'MODIFIED deployments.apps:web:east',
      'ADDED deployments.apps:web:north',
      'DELETED deployments.apps:web:west',
    ]);
    await watch.leave();
  });

  it('gives the events of one change its own revision only when all were sent', async () => {
    const asked = shop();
    const watch = await asked.watch(`${WATCH}&allowWatchBookmarks=true`);
    await watch.take(2);
    asked.source.bind(WEB, [status(WEB, 'east')]);
    asked.source.put(status(WEB, 'east'));
    const revisions = [];
    for (let count = 0; count < 3; count += 1)
      revisions.push(at(await watch.next(), 'object', 'metadata', 'resourceVersion'));
    expect(revisions).toEqual(['1002', '1002', '1004']);
    await watch.leave();
  });

  it('reads nothing for a result that has changed', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.reads.length = 0;
    asked.source.settle(WEB);
    asked.source.put(status(WEB, 'east'));
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:web:east']);
    expect(asked.source.reads).toEqual(['deployments.apps:web:east']);
    await watch.leave();
  });

  it('tells of everything of a WEC that becomes silent', async () => {
    const asked = shop();
    const watch = await asked.watch(`${WATCH}&fieldSelector=state=Silent`);
    const first = watch.next();
    asked.source.putWec({ name: 'east', ownLabels: {} }, (one) => ({ ...one, state: 'Silent' }));
    expect(await first).toMatchObject({ type: 'ADDED', object: { wec: 'east', state: 'Silent' } });
    await watch.leave();
  });

  it('of WECs tells of them', async () => {
    const asked = shop();
    asked.source.putWec({ name: 'east', ownLabels: {} });
    const watch = await asked.watch(`${ROOT}/wecs?watch=true`);
    expect(await watch.take(1)).toEqual(['ADDED east']);
    asked.source.putWec({ name: 'east', ownLabels: { region: 'eu' } });
    expect(await watch.take(1)).toEqual(['MODIFIED east']);
    asked.source.removeWec('east');
    expect(await watch.take(1)).toEqual(['DELETED east']);
    await watch.leave();
  });

  it('with sendInitialEvents marks their end with a bookmark', async () => {
    const asked = shop();
    const watch = await asked.watch(`${WATCH}&${INITIAL}`);
    await watch.take(2);
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        apiVersion: 'status.starfold.dev/v1alpha1',
        kind: 'WECStatus',
        metadata: { resourceVersion: '1002', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
    await watch.leave();
  });

  it('has bookmarks now and then if they are allowed, with the revision that was reached', async () => {
    const asked = shop({ bookmarkMs: 1 });
    const watch = await asked.watch(`${WATCH}&allowWatchBookmarks=true`);
    await watch.take(2);
    asked.source.put(status({ ...WEB, namespace: 'bank' }, 'east'));
    let last: unknown;
    while (last !== '1003') last = at(await watch.next(), 'object', 'metadata', 'resourceVersion');
    await watch.leave();
  });

  it('has no bookmarks if they are not allowed', async () => {
    const asked = shop({ bookmarkMs: 1 });
    const watch = await asked.watch(`${WATCH}&timeoutSeconds=1`);
    expect(await watch.take(3)).toEqual([
      'ADDED deployments.apps:web:east',
      'ADDED deployments.apps:web:west',
      'END',
    ]);
  });

  it.each([
    [
      TABLE,
      { kind: 'Table', rows: [{ object: { metadata: { name: 'deployments.apps:web:east' } } }] },
    ],
    [METADATA, { kind: 'PartialObjectMetadata' }],
  ])('has its objects in the form %s', async (accept, object) => {
    const watch = await shop().watch(`${WATCH}&${INITIAL}`, accept);
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object });
    await watch.next();
    const end = await watch.next();
    const marked = { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } };
    expect(at(end, 'object')).toMatchObject(
      accept === TABLE ? { rows: [{ object: marked }] } : marked,
    );
    await watch.leave();
  });

  it('from a revision that is forgotten is told to list again: 410', async () => {
    const asked = shop();
    asked.source.forget();
    const watch = await asked.watch(`${WATCH}&resourceVersion=1001`);
    expect(watch.code).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
    expect(await watch.next()).toBeUndefined();
  });

  it('that begins after a Binding has left out a WEC is told to list again, since nobody knows the name any more', async () => {
    const asked = shop();
    const revision = await revisionOf(asked);
    asked.source.bind(WEB, [status(WEB, 'east')]);
    const watch = await asked.watch(`${WATCH}&resourceVersion=${revision}`);
    expect(await watch.take(2)).toEqual(['ERROR 410', 'END']);
  });

  it('that continues later gets what has changed meanwhile', async () => {
    const asked = shop();
    const revision = await revisionOf(asked);
    asked.source.put(status(WEB, 'west', degraded));
    asked.source.put(status(WEB, 'north'));
    const watch = await asked.watch(
      `${WATCH}&resourceVersion=${revision}&fieldSelector=health=Healthy`,
    );
    expect(await watch.take(2)).toEqual([
      'DELETED deployments.apps:web:west',
      'ADDED deployments.apps:web:north',
    ]);
    await watch.leave();
  });

  it('ends after its time, in good order', async () => {
    const watch = await shop().watch(`${WATCH}&timeoutSeconds=1&resourceVersion=1002`);
    expect(await watch.next()).toBeUndefined();
  });

  it('ends in good order when the server ends', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    const next = watch.next();
    asked.api.close();
    expect(await next).toBeUndefined();
    expect(asked.source.subscribers).toBe(0);
  });

  it('leaves nothing behind when its client goes', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    expect(asked.source.subscribers).toBe(1);
    await watch.leave();
    expect(asked.source.subscribers).toBe(0);
  });

  it('that cannot read ends with an error, so that the client begins again', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.put(status(WEB, 'east'));
    asked.source.failure = new StoreUnavailableError('get');
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 503 } });
    expect(await watch.next()).toBeUndefined();
    expect(asked.source.subscribers).toBe(0);
  });

  it('shows nothing of a kind that the reader may not get, also if it comes later', async () => {
    const asked = shop();
    asked.wds.allows = ({ resource }) => resource !== 'secrets';
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.put(status(KEYS, 'east'));
    asked.source.bind(KEYS, [status(KEYS, 'west')]);
    asked.source.put(status(WEB, 'east'));
    expect(await watch.take(1)).toEqual(['MODIFIED deployments.apps:web:east']);
    await watch.leave();
  });

  it('shows a kind that comes later if the reader may get it', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    asked.source.put(status(KEYS, 'east'));
    expect(await watch.take(1)).toEqual(['ADDED secrets:keys:east']);
    expect(asked.wds.reviews().at(-1)).toBe('get secrets. shop/');
    await watch.leave();
  });
});

describe('many watches', () => {
  it('read each change once', async () => {
    const asked = shop();
    const watches = await Promise.all(Array.from({ length: 20 }, () => asked.watch(WATCH)));
    for (const watch of watches) await watch.take(2);
    asked.source.reads.length = 0;
    const events = watches.map((watch) => watch.take(1));
    asked.source.put(status(WEB, 'east'));
    for (const event of events) expect(await event).toEqual(['MODIFIED deployments.apps:web:east']);
    expect(asked.source.reads).toEqual(['deployments.apps:web:east']);
    for (const watch of watches) await watch.leave();
  });

  it('hold nothing for a client that does not read, and it misses no last state', async () => {
    const asked = shop();
    const watch = await asked.watch(WATCH);
    await watch.take(2);
    for (let number = 0; number < 1_000; number += 1)
      asked.source.put(status(WEB, 'east', { ready: `${number}/9` }));
    asked.source.put(status(WEB, 'north'));
    const last = new Map<unknown, unknown>();
    while (!last.has('north')) {
      const event = await watch.next();
      last.set(at(event, 'object', 'wec'), at(event, 'type'));
    }
    expect([...last]).toEqual([
      ['east', 'MODIFIED'],
      ['north', 'ADDED'],
    ]);
    await watch.leave();
  });

  it('are limited, also if they begin together: a quarter for each user', async () => {
    const asked = shop({ maxWatches: 8 });
    const begin = (name: string) =>
      Array.from({ length: 3 }, () => asked.watch(WATCH, 'application/json', userOf(name)));
    const users = ['a', 'b', 'c', 'd', 'e'];
    const watches = await Promise.all(users.flatMap(begin));
    expect(watches.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 4 }, () => [200, 200, 429]).flat(),
      ...[429, 429, 429],
    ]);
    const [first, , refused] = watches;
    expect(at(await refused?.next(), 'message')).toBe(
      placesOfUserTaken('a', { what: 'watches', taken: 2, ofOneUser: 2 }),
    );
    expect(at(await watches.at(-1)?.next(), 'message')).toBe(placesTaken('watches', 8));
    // Its client goes before it reads anything.
    await first?.leave();
    const [next, another] = await Promise.all(begin('a'));
    expect([next?.code, another?.code]).toEqual([200, 429]);
    for (const watch of [...watches, ...(next === undefined ? [] : [next])]) await watch.leave();
  });

  it('of a user who may not watch take no place', async () => {
    const asked = shop({ maxWatches: 1 });
    asked.wds.allows = ({ verb }) => verb !== 'watch';
    const codes = await Promise.all([1, 2].map(async () => (await asked.ask(WATCH)).code));
    expect(codes).toEqual([403, 403]);
  });

  it('give back their place if they cannot begin', async () => {
    const asked = shop({ maxWatches: 1 });
    asked.source.failure = new StoreUnavailableError('query');
    expect((await asked.ask(WATCH)).code).toBe(503);
    expect((await asked.ask(WATCH)).code).toBe(503);
    asked.source.failure = undefined;
    const watch = await asked.watch(WATCH);
    expect(watch.code).toBe(200);
    await watch.leave();
  });

  it('that begin together read each page once', async () => {
    const asked = shop();
    for (let wec = 0; wec < 1_200; wec += 1)
      asked.source.put(status(WEB, `edge-${String(wec).padStart(4, '0')}`));
    const watches = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        asked.watch(`${WATCH}&${INITIAL}`, 'application/json', userOf(`user-${index}`)),
      ),
    );
    const told = await Promise.all(watches.map((watch) => watch.take(1_203)));
    expect(new Set(told.map((events) => JSON.stringify(events))).size).toBe(1);
    expect(told[0]?.at(-1)).toMatch(/^BOOKMARK/);
    expect(asked.source.reads).toHaveLength(1_202);
    for (const watch of watches) await watch.leave();
  });

  it('do not share what only one of them may read', async () => {
    const asked = shop();
    asked.source.put(status(KEYS, 'east'));
    const create = asked.wds.create.bind(asked.wds);
    asked.wds.create = async (ref, object) => {
      const user = at(object, 'spec', 'user');
      asked.wds.allows = ({ resource }) => user === 'alice' || resource !== 'secrets';
      return create(ref, object);
    };
    const watches = await Promise.all(
      ['alice', 'bob'].map((name) =>
        asked.watch(`${WATCH}&${INITIAL}`, 'application/json', userOf(name)),
      ),
    );
    const [all, part] = await Promise.all(watches.map((watch) => watch.take(3)));
    expect(all).toContain('ADDED secrets:keys:east');
    expect(part?.map((event) => event.split(' ')[0])).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(part).not.toContain('ADDED secrets:keys:east');
    for (const watch of watches) await watch.leave();
  });

  it('are limited: 429 with a time to retry', async () => {
    const asked = shop({ maxWatches: 1 });
    const watch = await asked.watch(WATCH);
    await watch.take(1);
    const { code, headers } = await asked.ask(WATCH);
    expect(code).toBe(429);
    expect(headers['retry-after']).toBe('5');
    await watch.leave();
    const next = await asked.watch(WATCH);
    expect(await next.take(1)).toEqual(['ADDED deployments.apps:web:east']);
    await next.leave();
    expect(names(await asked.ask(SHOP))).toHaveLength(2);
  });
});
