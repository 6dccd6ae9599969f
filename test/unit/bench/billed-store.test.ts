import { beforeEach, describe, expect, it } from 'vitest';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { createBilledStore, TableSizes } from '#test/bench/cost/billed-store.ts';
import { EventClock } from '#test/bench/cost/event-clock.ts';
import { LambdaFunction } from '#test/bench/cost/lambda-function.ts';
import { Meter } from '#test/bench/cost/meter.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const READ = 'DynamoDB read units';
const WRITE = 'DynamoDB write units';

let clock: EventClock;
let meter: Meter;
let store: ItemStore;

beforeEach(() => {
  clock = new EventClock(0);
  meter = new Meter();
  const world = { meter, clock, sizes: new TableSizes(), read: { rows: 0, parts: 0, others: 0 } };
  const owner = new LambdaFunction(
    { name: 'f', memoryMb: 512 },
    { meter, clock, metrics: new Set() },
  );
  store = createBilledStore(createMemoryItemStore(), owner, world);
});

function item(sk: string, kib: number, version = '1'): Item {
  return { pk: 'W#a', sk, version, body: 'x'.repeat(kib * 1024) };
}

function put(...items: readonly Item[]): Promise<unknown> {
  return clock.drive(
    store.put(items.map((one) => ({ item: one, condition: { type: 'newer' as const } }))),
  );
}

describe('a billed store', () => {
  it('bills a put by its size, names and keys included', async () => {
    await put(item('R#1', 1));
    expect(meter.bill().amount(WRITE, 'put R')).toBe(2);
  });

  it('bills a put that its condition rejects by the stored item', async () => {
    await put(item('R#1', 2, '2'));
    await put(item('R#1', 9, '1'));
    expect(meter.bill().amount(WRITE, 'refused put')).toBe(3);
  });

  it('bills a delete by what is there, also after a larger put was rejected', async () => {
    await put(item('R#1', 2, '2'));
    await put(item('R#1', 9, '1'));
    await clock.drive(store.delete([{ key: { pk: 'W#a', sk: 'R#1' } }]));
    expect(meter.bill().amount(WRITE, 'delete')).toBe(3);
  });

  it('bills a delete by what is deleted, and then as nothing there', async () => {
    await put(item('R#1', 2));
    const gone = [{ key: { pk: 'W#a', sk: 'R#1' } }];
    await clock.drive(store.delete(gone));
    expect(meter.bill().amount(WRITE, 'delete')).toBe(3);
    await clock.drive(store.delete(gone));
    expect(meter.bill().amount(WRITE, 'delete')).toBe(4);
  });

  it('bills keys one by one and a query as a whole', async () => {
    await put(item('R#1', 1), item('R#2', 1), item('R#3', 1));
    const keys = ['R#1', 'R#2', 'R#9'].map((sk) => ({ pk: 'W#a', sk }));
    await clock.drive(store.get(keys));
    expect(meter.bill().amount(READ, 'get R')).toBe(3);
    await clock.drive(store.query({ pk: 'W#a', from: 'R#', to: 'R#~' }));
    expect(meter.bill().amount(READ, 'query R')).toBe(1);
  });

  it('takes time for each call, and none for no key', async () => {
    await clock.drive(store.get([]));
    expect(clock.now()).toBe(0);
    await clock.drive(store.get([{ pk: 'a', sk: 'b' }]));
    expect(clock.now()).toBeGreaterThan(0);
  });
});
