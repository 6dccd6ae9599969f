import { describe, expect, it } from 'vitest';
import { perhapsDeleted, perhapsPut } from '#shared/adapters/dynamodb/messages.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { type Item, MAX_ITEM_BYTES, type PutCondition } from '#shared/ports/item-store.ts';
import type { Fate } from '#test/fakes/dynamodb-proxy.ts';
import { useHarness } from './harness.ts';

const harness = useHarness();

/** The first request meets this; the others pass. */
function firstMeets(fate: Fate): void {
  harness.proxy.reset((_request, index) => (index === 0 ? fate : { type: 'pass' }));
}

function operations(): readonly string[] {
  return harness.proxy.requests.map(({ operation }) => operation);
}

interface Case {
  readonly condition: PutCondition;
  /** The version that is there; absent: no item. */
  readonly stored?: string;
}
const CASES: readonly Case[] = [
  { condition: { type: 'absent' } },
  { condition: { type: 'newer' } },
  { condition: { type: 'newer' }, stored: '1' },
  { condition: { type: 'unchanged', version: '1' }, stored: '1' },
];

async function begin(stored: string | undefined): Promise<Item> {
  const key = { pk: harness.partition(), sk: 'one' };
  if (stored !== undefined) await harness.other.put([{ item: { ...key, version: stored } }]);
  return { ...key, version: '2', body: 'mine', expiresAt: 4e9 };
}

describe('a put on a condition', () => {
  it.each(CASES)('took effect although its answer was lost: %o', async ({ condition, stored }) => {
    const item = await begin(stored);
    firstMeets({ type: 'lose' });
    expect(await harness.store.put([{ item, condition }])).toEqual([true]);
    expect(operations()).toEqual(['PutItem', 'PutItem', 'BatchGetItem']);
    expect(harness.proxy.requests[2]?.input).toMatchObject({
      RequestItems: { unit: { ConsistentRead: true } },
    });
    expect(await harness.other.get([item])).toEqual([item]);
  });

  it.each(CASES)(
    'takes effect when its first request was lost: %o',
    async ({ condition, stored }) => {
      const item = await begin(stored);
      firstMeets({ type: 'break' });
      expect(await harness.store.put([{ item, condition }])).toEqual([true]);
      expect(operations()).toEqual(['PutItem', 'PutItem']);
    },
  );

  it.each<[string, Partial<Item>]>([
    ['another version', { version: '3', body: 'theirs' }],
    ['the same version with other content', { version: '2', body: 'theirs' }],
    ['the same version and content', { version: '2', body: 'mine', expiresAt: 4e9 }],
  ])('does not take effect when another process has put %s', async (_what, theirs) => {
    for (const { condition, stored } of CASES) {
      const item = await begin(stored);
      await harness.other.put([{ item: { pk: item.pk, sk: item.sk, ...theirs }, condition }]);
      firstMeets({ type: 'break' });
      expect(await harness.store.put([{ item, condition }])).toEqual([false]);
      expect(operations()).toEqual(['PutItem', 'PutItem', 'BatchGetItem']);
    }
  });

  it('is false when it took effect and another process has replaced the item', async () => {
    const item = await begin(undefined);
    harness.proxy.reset((_request, index) => (index === 0 ? { type: 'lose' } : { type: 'pass' }));
    const replaced = { ...item, version: '3' };
    const store = harness.storeWith({
      retryStrategy: {
        acquireInitialRetryToken: async () => ({
          getRetryCount: () => 0,
          getRetryDelay: () => 0,
          getRetryCost: () => undefined,
        }),
        refreshRetryTokenForRetry: async (token) => {
          if (token.getRetryCount() > 0) throw new Error('no more');
          await harness.other.put([{ item: replaced }]);
          return {
            getRetryCount: () => 1,
            getRetryDelay: () => 0,
            getRetryCost: () => undefined,
          };
        },
        recordSuccess: () => {},
      },
    });
    expect(await store.put([{ item, condition: { type: 'newer' } }])).toEqual([false]);
    expect(await harness.other.get([item])).toEqual([replaced]);
  });

  it('is false when the item that blocked it is gone', async () => {
    const item = await begin(undefined);
    harness.proxy.reset((_request, index) => (index === 0 ? { type: 'break' } : { type: 'pass' }));
    expect(
      await harness.store.put([{ item, condition: { type: 'unchanged', version: '1' } }]),
    ).toEqual([false]);
  });

  it('is rejected without a further question when there was no retry', async () => {
    const item = await begin('2');
    expect(await harness.store.put([{ item, condition: { type: 'newer' } }])).toEqual([false]);
    expect(operations()).toEqual(['PutItem']);
  });

  it('is unknown for an item without room for an id that is found as it was put', async () => {
    const key = { pk: harness.partition(), sk: 'one' };
    const names = 'pk'.length + 'sk'.length + 'body'.length;
    const body = 'x'.repeat(MAX_ITEM_BYTES - names - key.pk.length - key.sk.length);
    const put = { item: { ...key, body }, condition: { type: 'absent' } } as const;
    firstMeets({ type: 'lose' });
    const error = await harness.store.put([put]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ message: expect.stringContaining(perhapsPut(key)) });
    firstMeets({ type: 'break' });
    const shorter = { ...put.item, body: body.slice(1) };
    expect(await harness.store.put([{ ...put, item: shorter }])).toEqual([false]);
  });

  it('is unknown when the item cannot be read after a lost answer', async () => {
    const item = await begin(undefined);
    harness.proxy.reset(({ operation }, index) => {
      if (index === 0) return { type: 'lose' };
      return operation === 'PutItem'
        ? { type: 'pass' }
        : { type: 'error', name: 'AccessDeniedException' };
    });
    await expect(harness.store.put([{ item, condition: { type: 'newer' } }])).rejects.toMatchObject(
      { message: expect.stringContaining('dynamodb:BatchGetItem') },
    );
  });

  it('leaves its id out of what is read', async () => {
    const item = await begin(undefined);
    await harness.store.put([{ item, condition: { type: 'newer' } }]);
    expect(await harness.store.get([item])).toEqual([item]);
    expect(await harness.store.query({ pk: item.pk })).toEqual({ items: [item] });
  });
});

describe('a delete on a version', () => {
  it('is unknown when its answer was lost and the item is gone', async () => {
    const item = await begin('1');
    firstMeets({ type: 'lose' });
    const error = await harness.store
      .delete([{ key: item, version: '1' }])
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        `DeleteItem on table unit in eu-west-1: ${perhapsDeleted(item)}`,
      ),
    });
    expect(await harness.other.get([item])).toEqual([undefined]);
  });

  it('holds when its first request was lost', async () => {
    const item = await begin('1');
    firstMeets({ type: 'break' });
    expect(await harness.store.delete([{ key: item, version: '1' }])).toEqual([true]);
  });

  it('does not hold when another version is found after a lost answer', async () => {
    const item = await begin('3');
    firstMeets({ type: 'break' });
    expect(await harness.store.delete([{ key: item, version: '1' }])).toEqual([false]);
    expect(operations()).toEqual(['DeleteItem', 'DeleteItem', 'BatchGetItem']);
  });
});

describe('a write without a condition', () => {
  it('takes effect although its answer was lost', async () => {
    const item = await begin(undefined);
    firstMeets({ type: 'lose' });
    expect(await harness.store.put([{ item }])).toEqual([true]);
    firstMeets({ type: 'lose' });
    expect(await harness.store.delete([{ key: item }])).toEqual([true]);
    expect(await harness.other.get([item])).toEqual([undefined]);
  });
});
