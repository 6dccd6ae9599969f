import { beforeEach, describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { isPlacedKey, placedKey, placeRows } from '#shared/state/fleet/placed-object.ts';
import { bodyJson } from '#test/fakes/item-body.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { fleetObject } from '#test/unit/protocol/fleet-events.ts';
import { interrupted, type Moment } from '#test/unit/protocol/pipeline.ts';

const OBJECT = placedKey({
  upstream: 'rancher',
  resource: 'bundledeployments',
  namespace: 'cluster-c1',
  name: 'web',
});
/** The longest retention of a queue and a day; a day, in which no process stands still. */
const [LONG, SHORT] = [15 * 86_400, 86_400];
const BEFORE_CLAIM: Moment = { call: 'put', sk: OBJECT.sk, when: 'before' };
const BEFORE_ROWS: Moment = { call: 'put', sk: 'ROW', when: 'before' };

function at(cluster: string): ItemKey {
  return { pk: subjectPartition(fleetObject('clusters', cluster)), sk: 'ROW' };
}

const [A, B, C] = [at('a'), at('b'), at('c')];

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

/** Says with this version that the object has a row at each of these places; the names of the places that are told of. */
async function say(
  version: string,
  places: readonly ItemKey[],
  through = store,
): Promise<readonly string[]> {
  const rows = places.map((key) => ({ key, body: version }));
  const told = await placeRows(through, { key: OBJECT, version, rows }, 0);
  return told.map(({ pk }) => pk.slice(-1)).sort();
}

function die(): Promise<void> {
  return Promise.reject(new Error('killed'));
}

/** What stands at a place: the version of a row, `gone` and the version of a tombstone, or nothing. */
function textOf(item: Item | undefined): string | undefined {
  if (item === undefined) return undefined;
  if (item.body === undefined) return `gone ${item.version}`;
  expect(bodyJson<string>(item)).toBe(item.version);
  return item.version;
}

async function standing(): Promise<readonly (string | undefined)[]> {
  return (await store.get([A, B, C])).map(textOf);
}

describe('what is said of an object', () => {
  it('puts its rows, and names their places', async () => {
    expect(await say('1', [A, B])).toEqual(['a', 'b']);
    expect(await standing()).toEqual(['1', '1', undefined]);
  });

  it('again names the places again', async () => {
    await say('1', [A]);
    await say('2', [B]);
    expect(await say('2', [B])).toEqual(['a', 'b']);
    expect(await standing()).toEqual(['gone 2', '2', undefined]);
  });

  it('late changes nothing and names no place', async () => {
    await say('2', [A]);
    expect(await say('1', [B])).toEqual([]);
    expect(await standing()).toEqual(['2', undefined, undefined]);
  });

  it('late does not bring back what is gone', async () => {
    await say('2', []);
    expect(await say('1', [A])).toEqual([]);
    expect(await standing()).toEqual([undefined, undefined, undefined]);
  });

  it('elsewhere leaves tombstones at the former places, and names them', async () => {
    await say('1', [A, B]);
    expect(await say('2', [B, C])).toEqual(['a', 'b', 'c']);
    expect(await standing()).toEqual(['gone 2', '2', '2']);
  });

  it('where it was before puts a row over its tombstone', async () => {
    await say('1', [A]);
    await say('2', [B]);
    expect(await say('3', [A])).toEqual(['a', 'b']);
    expect(await standing()).toEqual(['3', 'gone 3', undefined]);
  });

  it('to be gone leaves tombstones everywhere', async () => {
    await say('1', [A, B]);
    expect(await say('2', [])).toEqual(['a', 'b']);
    expect(await standing()).toEqual(['gone 2', 'gone 2', undefined]);
  });
});

describe('who dies after saying where, and before putting rows', () => {
  it('does it when it comes again', async () => {
    await say('1', [A]);
    await expect(say('2', [B], interrupted(store, BEFORE_ROWS, die))).rejects.toThrow('killed');
    expect(await standing()).toEqual(['1', undefined, undefined]);
    expect(await say('2', [B])).toEqual(['a', 'b']);
    expect(await standing()).toEqual(['gone 2', '2', undefined]);
  });

  it('leaves to a later one what it has not buried', async () => {
    await say('1', [A]);
    await expect(say('2', [B], interrupted(store, BEFORE_ROWS, die))).rejects.toThrow('killed');
    expect(await say('3', [C])).toEqual(['a', 'b', 'c']);
    expect(await standing()).toEqual(['gone 3', 'gone 3', '3']);
  });
});

describe('of two that report at once', () => {
  it.each([
    { when: 'says where', moment: BEFORE_CLAIM, told: [], atA: undefined },
    { when: 'puts rows', moment: BEFORE_ROWS, told: ['a'], atA: 'gone 2' },
  ])('the newer one counts, before the older one $when', async ({ moment, told, atA }) => {
    const slow = interrupted(store, moment, async () => {
      await say('2', [B]);
    });
    expect(await say('1', [A], slow)).toEqual(told);
    expect(await standing()).toEqual([atA, '2', undefined]);
  });

  it('the newer one buries what the older one says before it', async () => {
    const slow = interrupted(store, BEFORE_CLAIM, async () => {
      await say('1', [A]);
    });
    expect(await say('2', [B], slow)).toEqual(['a', 'b']);
    expect(await standing()).toEqual(['gone 2', '2', undefined]);
  });

  it('the newer one is not undone by what the older one says after it', async () => {
    const slow = interrupted(store, BEFORE_ROWS, async () => {
      expect(await say('1', [A])).toEqual([]);
    });
    expect(await say('2', [B], slow)).toEqual(['b']);
    expect(await standing()).toEqual([undefined, '2', undefined]);
  });
});

describe('what is kept of an object', () => {
  const expiry = async (key: ItemKey) => (await store.get([key]))[0]?.expiresAt;

  it('that is present does not expire, nor do its rows', async () => {
    await say('1', [A]);
    expect([await expiry(OBJECT), await expiry(A)]).toEqual([undefined, undefined]);
  });

  it('that is gone outlives the longest retention of a queue, its tombstones a stalled process', async () => {
    await say('1', [A]);
    await say('2', []);
    expect([await expiry(OBJECT), await expiry(A)]).toEqual([LONG, SHORT]);
  });

  it('that has moved does not expire; its tombstone does', async () => {
    await say('1', [A]);
    await say('2', [B]);
    expect([await expiry(OBJECT), await expiry(A)]).toEqual([undefined, SHORT]);
  });

  it('that is there again does not expire anymore', async () => {
    await say('1', []);
    expect(await expiry(OBJECT)).toBe(LONG);
    await say('2', [A]);
    expect(await expiry(OBJECT)).toBeUndefined();
  });

  it('stands under a key that no row and no subject has', () => {
    expect(OBJECT.pk).toBe('P#rancher/bundledeployments/cluster-c1/web');
    expect([OBJECT, A].map(isPlacedKey)).toEqual([true, false]);
  });
});
