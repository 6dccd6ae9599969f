import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { parseSubject, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  FLEET_FAMILIES,
  fleetRowItem,
  fleetRowKey,
  fleetSubject,
  jobKey,
  jobsKey,
  parseRowKey,
  parseRowName,
  readFleetRows,
  readNewestJob,
  readRowIds,
  rowNameText,
} from '#shared/state/fleet/fleet-rows.ts';
import { SORT, wecHash } from '#shared/state/keys.ts';
import { shardHashes, shardOf } from '#shared/state/shards.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { fleetObject } from '#test/unit/protocol/fleet-events.ts';

const BUNDLE = fleetObject('bundles', 'web');
const PK = subjectPartition(BUNDLE);
const SAID = { version: '1', nowMs: 0 };

describe('the subject that a text names', () => {
  it('is the object of that namespace and name', () => {
    expect(fleetSubject('rancher', 'clusters', 'fleet-default/c1.example.org')).toEqual({
      type: 'fleet',
      upstream: 'rancher',
      resource: 'clusters',
      namespace: 'fleet-default',
      name: 'c1.example.org',
    });
  });

  it.each([
    '',
    '/',
    'c1',
    'fleet-default/',
    '/c1',
    'fleet-default/c1/x',
    'fleet-default/c1#x',
    'fleet-default/c1|OBJECT',
    'fleet-default/c 1',
    'fleet-default/c1\n',
    'fleet-default/..',
    '-/c1',
    'fleet-default/-c1',
    'fleet-default/c1-',
    'fleet-default/ç',
    `fleet-default/${'x'.repeat(254)}`,
  ])('is none if it says %j', (id) => {
    expect(fleetSubject('rancher', 'clusters', id)).toBeUndefined();
  });

  it('is one whose partition gives it back, whatever the text is', () => {
    const part = fc.stringMatching(/^[\w\-./#|]{0,6}$/);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(part, part).map((both) => both.join('/')),
        ),
        (id) => {
          const subject = fleetSubject('rancher', 'clusters', id);
          if (subject === undefined) return;
          expect(`${subject.namespace}/${subject.name}`).toBe(id);
          expect(parseSubject(subjectPartition(subject))).toEqual(subject);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('the key of a row', () => {
  it('is below its subject, by the hash of what it reports', () => {
    const id = 'fleet-default/c1';
    expect(fleetRowKey(BUNDLE, { family: 'CLUSTER', id }, 'cluster-c1/web')).toEqual({
      pk: PK,
      sk: `CLUSTER#${wecHash(id)}#${id}#cluster-c1/web`,
    });
  });

  it.each(FLEET_FAMILIES)('of the family %s says where it is', (family) => {
    const row = { family, id: 'fleet-default/c1' };
    for (const own of ['', 'cluster-c1/web'])
      expect(parseRowKey(fleetRowKey(BUNDLE, row, own))).toEqual({ subject: BUNDLE, row });
  });

  it.each([
    jobKey(BUNDLE, 'j').sk,
    SORT.object,
    SORT.head,
    jobsKey(PK).sk,
    'CLUSTER#',
    'OTHER#0#a/b#',
  ])('is not %s: that says the subject alone', (sk) => {
    expect(parseRowKey({ pk: PK, sk })).toEqual({ subject: BUNDLE });
  });

  it('that is below nothing is an error', () => {
    expect(() => parseRowKey({ pk: 'P#rancher/jobs/a/b', sk: 'CLUSTER#0#a/b#' })).toThrow(
      RangeError,
    );
  });
});

describe('the name of a row', () => {
  it.each(FLEET_FAMILIES)('of the family %s is read from its text', (family) => {
    for (const id of ['fleet-default/c1', '/', 'a#b'])
      expect(parseRowName(rowNameText({ family, id }))).toEqual({ family, id });
  });

  it.each([
    '',
    '#',
    'CLUSTER',
    '#fleet-default/c1',
    'cluster#a/b',
    'JOB#a',
    'CLUSTERS#a/b',
    'CLUSTERS',
    'BUNDLES',
  ])('is none if the text is "%s"', (text) => {
    expect(parseRowName(text)).toBeUndefined();
  });
});

describe('the rows of a family', () => {
  let store: ItemStore;
  beforeEach(() => {
    store = createMemoryItemStore();
  });

  /** Puts rows, by what they speak of and what they are of; `null`: a tombstone. */
  async function put(
    family: (typeof FLEET_FAMILIES)[number],
    rows: Readonly<Record<string, Readonly<Record<string, number | null>>>>,
  ): Promise<void> {
    for (const [id, bodies] of Object.entries(rows))
      for (const [own, body] of Object.entries(bodies)) {
        const item = fleetRowItem(
          fleetRowKey(BUNDLE, { family, id }, own),
          body ?? undefined,
          SAID,
        );
        await store.put([{ item }]);
      }
  }

  it('stand each in one shard, however many there are', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `fleet-default/c${index}`);
    await put('CLUSTER', Object.fromEntries(ids.map((id) => [id, { x: 1 }])));
    for (const shards of [1, 2, 8])
      for (let shard = 0; shard < shards; shard += 1) {
        const rows = await readFleetRows(
          store,
          { pk: PK, family: 'CLUSTER' },
          shardHashes(shard, shards),
        );
        const own = ids.filter((id) => shardOf(id, shards) === shard);
        expect(rows.map(({ id }) => id).sort()).toEqual(own.sort());
      }
  });

  it('with a bound for their hash are read, the last ones too', async () => {
    await put('CLUSTER', { 'a/b': { '': 1, 'x/y': 2 } });
    const [from, to] = [wecHash('a/b'), wecHash('a/b')];
    expect(await readFleetRows(store, { pk: PK, family: 'CLUSTER' }, { from, to })).toEqual(
      ['', 'x/y'].map((own, index) => {
        const key = fleetRowKey(BUNDLE, { family: 'CLUSTER', id: 'a/b' }, own);
        return { key, id: 'a/b', own, body: index + 1 };
      }),
    );
  });

  it('are read page by page, without those that are gone and without other families', async () => {
    await put('CLUSTER', { 'a/a': { x: 1, y: null }, 'a/b': { x: null }, 'a/c': { x: 3 } });
    await put('BUNDLE', { 'a/d': { '': 4 } });
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    const rows = await readFleetRows(paged, { pk: PK, family: 'CLUSTER' }, shardHashes(0, 1));
    expect(rows.map(({ id, body }) => [id, body]).sort()).toEqual([
      ['a/a', 1],
      ['a/c', 3],
    ]);
  });

  it('are reported if they are not gone, each once', async () => {
    await put('BUNDLE', {
      'a/a': { '': 1, 'x/y': 1 },
      'a/b': { '': null },
      'a/c': { '': null, z: 1 },
    });
    await put('CLUSTER', { 'a/d': { '': 1 } });
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    const ids = await readRowIds(paged, { pk: PK, family: 'BUNDLE' });
    expect([...ids].sort()).toEqual(['a/a', 'a/c']);
  });
});

describe('the Jobs of a GitRepo', () => {
  const GIT_REPO = fleetObject('gitrepos', 'one');
  let store: ItemStore;
  beforeEach(async () => {
    store = createMemoryItemStore();
    await store.put([{ item: { pk: subjectPartition(GIT_REPO), sk: SORT.object, version: '1' } }]);
  });
  const made = (second: number): JsonObject => ({
    metadata: { name: `j${second}`, creationTimestamp: `2026-11-21T12:00:0${second}Z` },
  });
  const put = (name: string, body: JsonObject | undefined) =>
    store.put([
      { item: jobsKey(subjectPartition(GIT_REPO)) },
      { item: fleetRowItem(jobKey(GIT_REPO, name), body, SAID) },
    ]);

  it('are not known if none has ever been reported', async () => {
    const other = fleetObject('gitrepos', 'two');
    await store.put([
      { item: fleetRowItem(jobKey(other, 'j'), 'j', SAID) },
      { item: jobsKey(subjectPartition(other)) },
    ]);
    expect(await readNewestJob(store, GIT_REPO)).toBeUndefined();
  });

  it('are none if all are gone', async () => {
    await put('j', undefined);
    expect(await readNewestJob(store, GIT_REPO)).toBeNull();
  });

  it('are none also when the last trace of them has expired', async () => {
    await put('j', undefined);
    const { pk, sk } = jobKey(GIT_REPO, 'j');
    await store.delete([{ key: { pk, sk } }]);
    expect(await readNewestJob(store, GIT_REPO)).toBeNull();
  });

  it('are the one that was made last and is not gone', async () => {
    await put('j1', made(1));
    await put('j3', made(3));
    await put('j2', made(2));
    await put('j4', undefined);
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 1 }) };
    expect(await readNewestJob(paged, GIT_REPO)).toEqual(made(3));
  });
});

it('a row that is gone may be forgotten after a day, a process that stalls no longer than that', () => {
  const key = fleetRowKey(BUNDLE, { family: 'CLUSTER', id: 'a/b' });
  const said = { version: '1', nowMs: 1500 };
  expect(fleetRowItem(key, undefined, said).expiresAt).toBe(2 + 86_400);
  expect(fleetRowItem(key, 1, said)).not.toHaveProperty('expiresAt');
});
