import { describe, expect, it } from 'vitest';
import { DYNAMODB_ACTIONS } from '#shared/adapters/dynamodb/item-store.ts';
import { leftUnprocessed } from '#shared/adapters/dynamodb/messages.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { DynamoDbRequest } from '#test/fakes/dynamodb-proxy.ts';
import { TABLE, useHarness } from './harness.ts';

const harness = useHarness();

function keysOf(pk: string, count: number): readonly ItemKey[] {
  return Array.from({ length: count }, (_, index) => ({ pk, sk: `item-${1000 + index}` }));
}

/** Number of keys in a batch request. */
function batchSize({ input }: DynamoDbRequest): number {
  // The tests ask one table: a KeysAndAttributes or a list of write requests.
  const items = input['RequestItems'] as Record<string, { Keys?: unknown[]; length?: number }>;
  return items[TABLE]?.Keys?.length ?? items[TABLE]?.length ?? 0;
}

function operations(): readonly string[] {
  return harness.proxy.requests.map(({ operation }) => operation);
}

describe('requests', () => {
  it('reads strongly consistent, whatever it reads', async () => {
    const pk = harness.partition();
    await harness.store.get([{ pk, sk: 'one' }]);
    await harness.store.query({ pk, from: 'a' });
    expect(harness.proxy.requests.map(({ input }) => input)).toMatchObject([
      { RequestItems: { [TABLE]: { ConsistentRead: true } } },
      { ConsistentRead: true },
    ]);
  });

  it('asks for each key once, and for at most 100 at a time', async () => {
    const keys = keysOf(harness.partition(), 150);
    await harness.store.get([...keys, ...keys]);
    expect(harness.proxy.requests.map(batchSize).sort()).toEqual([100, 50]);
  });

  it('writes at most 25 items at a time', async () => {
    const keys = keysOf(harness.partition(), 60);
    await harness.store.put(keys.map((item) => ({ item })));
    expect(harness.proxy.requests.map(batchSize).sort()).toEqual([10, 25, 25]);
    harness.proxy.reset(() => ({ type: 'pass' }));
    await harness.store.delete([...keys, ...keys].map((key) => ({ key })));
    expect(harness.proxy.requests.map(batchSize).sort()).toEqual([10, 25, 25]);
    expect(await harness.other.get(keys)).toEqual(keys.map(() => undefined));
  });

  it('writes at most 4 MB at a time', async () => {
    const body = new Uint8Array(400_000);
    const puts = keysOf(harness.partition(), 11).map((key) => ({ item: { ...key, body } }));
    await harness.store.put(puts);
    expect(harness.proxy.requests.map(batchSize).sort()).toEqual([1, 10]);
  });

  it('sends a condition with each put that has one, and puts the others together', async () => {
    const [a, b, c, d] = keysOf(harness.partition(), 4);
    if (!(a && b && c && d)) throw new Error('four keys');
    const took = await harness.store.put([
      { item: a },
      { item: b, condition: { type: 'absent' } },
      { item: c },
      { item: d, condition: { type: 'unchanged', version: '1' } },
    ]);
    expect(took).toEqual([true, true, true, false]);
    expect([...operations()].sort()).toEqual(['BatchWriteItem', 'PutItem', 'PutItem']);
  });

  it('asks nothing for a range that holds nothing', async () => {
    const pk = harness.partition();
    expect(await harness.store.query({ pk, from: 'b', to: 'a' })).toEqual({ items: [] });
    expect(await harness.store.query({ pk, from: '\u{10000}', to: '\uffff' })).toEqual({
      items: [],
    });
    expect(await harness.store.query({ pk, to: '' })).toEqual({ items: [] });
    expect(operations()).toEqual([]);
  });

  it('takes an empty lower bound for none', async () => {
    const item = { pk: harness.partition(), sk: 'one' };
    await harness.store.put([{ item }]);
    expect(await harness.store.query({ pk: item.pk, from: '' })).toEqual({ items: [item] });
    expect(await harness.store.query({ pk: item.pk, from: '', to: 'z' })).toEqual({
      items: [item],
    });
  });

  it('has at most 16 requests under way, and begins no more after a failure', async () => {
    let underWay = 0;
    let most = 0;
    let begun = 0;
    const store = harness.storeWith({
      requestHandler: {
        handle: async () => {
          begun += 1;
          underWay += 1;
          most = Math.max(most, underWay);
          await new Promise(setImmediate);
          underWay -= 1;
          throw Object.assign(new Error('refused'), { name: 'Refused' });
        },
      },
    });
    const puts = keysOf(harness.partition(), 40).map((item) => ({
      item,
      condition: { type: 'absent' } as const,
    }));
    await expect(store.put(puts)).rejects.toBeInstanceOf(StoreUnavailableError);
    expect({ most, begun, underWay }).toEqual({ most: 16, begun: 16, underWay: 0 });
  });
});

describe('unprocessed parts of a batch', () => {
  it('are asked for again until nothing is left', async () => {
    const keys = keysOf(harness.partition(), 20);
    harness.proxy.reset((_request, index) =>
      index < 3 ? { type: 'first', count: 6 } : { type: 'pass' },
    );
    expect(await harness.store.put(keys.map((item) => ({ item })))).toEqual(keys.map(() => true));
    expect(harness.proxy.requests.map(batchSize)).toEqual([20, 14, 8, 2]);
    expect(await harness.other.get(keys)).toEqual(keys);

    harness.proxy.reset((_request, index) =>
      index < 2 ? { type: 'first', count: 9 } : { type: 'pass' },
    );
    expect(await harness.store.get(keys)).toEqual(keys);
    expect(harness.proxy.requests.map(batchSize)).toEqual([20, 11, 2]);
    expect(harness.slept).toEqual([25, 25, 25, 25, 25]);
  });

  it.each<[string, (store: ItemStore, key: ItemKey) => Promise<unknown>]>([
    ['BatchGetItem', (store, key) => store.get([key])],
    ['BatchWriteItem', (store, item) => store.put([{ item }])],
    ['BatchWriteItem', (store, key) => store.delete([{ key }])],
  ])('of %s are given up after eight answers that leave everything', async (operation, call) => {
    harness.proxy.reset(() => ({ type: 'first', count: 0 }));
    const error = await call(harness.store, { pk: harness.partition(), sk: 'one' }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({
      retryable: true,
      message: `item store unavailable: ${operation} on table unit in eu-west-1: ${leftUnprocessed(1, 1, 8)}`,
    });
    expect(operations()).toEqual(Array.from({ length: 8 }, () => operation));
    // Each wait is a random part of a bound that doubles; `random` is 0.5.
    expect(harness.slept).toEqual([50, 100, 200, 400, 800, 1600, 2500]);
  });

  it('are not given up while something is done', async () => {
    const keys = keysOf(harness.partition(), 3);
    harness.proxy.reset((_request, index) => ({ type: 'first', count: index % 8 === 7 ? 1 : 0 }));
    await harness.store.put(keys.map((item) => ({ item })));
    expect(operations()).toHaveLength(24);
    expect(await harness.other.get(keys)).toEqual(keys);
  });

  it('are what does not fit into an answer (DynamoDB: 16 MB, dynalite: 1 MB)', async () => {
    const body = 'x'.repeat(390_000);
    const keys = keysOf(harness.partition(), 10);
    await harness.other.put(keys.map((key) => ({ item: { ...key, body } })));
    const found = await harness.store.get(keys);
    expect(found.map((item) => item?.sk)).toEqual(keys.map(({ sk }) => sk));
    expect(harness.proxy.requests.map(batchSize)).toEqual([10, 7, 4, 1]);
  });
});

describe('pages', () => {
  it('may be empty and have a cursor', async () => {
    const pk = harness.partition();
    await harness.other.put([{ item: { pk, sk: 'b' } }]);
    harness.proxy.reset((_request, index) =>
      index === 0
        ? {
            type: 'reply',
            body: { Items: [], Count: 0, LastEvaluatedKey: { pk: { S: pk }, sk: { S: 'a' } } },
          }
        : { type: 'pass' },
    );
    const first = await harness.store.query({ pk });
    expect(first).toEqual({ items: [], cursor: 'a' });
    expect(await harness.store.query({ pk, cursor: 'a' })).toEqual({ items: [{ pk, sk: 'b' }] });
  });

  it('end at 1 MB, and say where the next one begins', async () => {
    const pk = harness.partition();
    const body = 'x'.repeat(300_000);
    const items = ['1', '2', '3', '4', '5'].map((sk) => ({ pk, sk, body }));
    await harness.other.put(items.map((item) => ({ item })));
    const first = await harness.store.query({ pk, from: '1', to: '5' });
    expect(first.cursor).toBe(first.items.at(-1)?.sk);
    expect(first.items.length).toBeLessThan(items.length);
    const second = await harness.store.query({
      pk,
      from: '1',
      to: '5',
      cursor: first.cursor ?? '',
    });
    expect([...first.items, ...second.items]).toEqual(items);
  });
});

describe('DYNAMODB_ACTIONS', () => {
  it.each<[keyof ItemStore, (store: ItemStore, pk: string) => Promise<unknown>]>([
    ['get', (store, pk) => store.get(keysOf(pk, 3))],
    ['query', (store, pk) => store.query({ pk, from: 'a', to: 'b', limit: 1 })],
    [
      'put',
      (store, pk) =>
        store.put([
          { item: { pk, sk: 'a' } },
          { item: { pk, sk: 'b' }, condition: { type: 'absent' } },
        ]),
    ],
    [
      'delete',
      async (store, pk) => {
        await harness.other.put([{ item: { pk, sk: 'b', version: '2' } }]);
        await store.delete([{ key: { pk, sk: 'a' } }, { key: { pk, sk: 'b' }, version: '1' }]);
      },
    ],
  ])('has what %s calls, also after a lost answer, and no more', async (method, call) => {
    let lost = false;
    harness.proxy.reset(({ operation }) => {
      const isFirst = !lost && (operation === 'PutItem' || operation === 'DeleteItem');
      lost ||= isFirst;
      return { type: isFirst ? 'lose' : 'pass' };
    });
    await call(harness.store, harness.partition());
    const called = new Set(operations().map((operation) => `dynamodb:${operation}`));
    expect([...called].sort()).toEqual(DYNAMODB_ACTIONS[method]);
  });
});
