import { itemBytes } from '#shared/adapters/item-size.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { getUnits, queryUnits, writeUnits } from './billing-rules.ts';
import { MODEL } from './deployment.ts';
import type { EventClock } from './event-clock.ts';
import type { LambdaFunction } from './lambda-function.ts';
import type { Meter } from './meter.ts';

const BATCH_GET = 100;

/** Sizes of the stored items, which a write is billed by: what one table holds. */
export class TableSizes {
  readonly #bytes = new Map<string, number>();

  of({ pk, sk }: ItemKey): number {
    return this.#bytes.get(`${pk}\n${sk}`) ?? 0;
  }

  /** @param bytes 0: the item is gone */
  set({ pk, sk }: ItemKey, bytes: number): void {
    if (bytes === 0) this.#bytes.delete(`${pk}\n${sk}`);
    else this.#bytes.set(`${pk}\n${sk}`, bytes);
  }

  total(): number {
    return [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
  }
}

/** Items that were read, by kind; what a Bill does not say, since it has units alone. */
export interface ReadItems {
  rows: number;
  parts: number;
  others: number;
}

/** What a billed store needs of the world. */
export interface StoreWorld {
  readonly meter: Meter;
  readonly clock: EventClock;
  readonly sizes: TableSizes;
  readonly read: ReadItems;
}

/** The kind of an item: the prefix of its sort key, or of its partition where that alone tells. */
function kindOf({ pk, sk }: ItemKey): string {
  const [prefix = ''] = /^[A-Z]+/.exec(sk) ?? [];
  return prefix === '' || pk === sk ? (/^[A-Z]+/.exec(pk)?.[0] ?? '') : prefix;
}

function sizeOf(item: Item | undefined): number {
  return item === undefined ? 0 : itemBytes(item);
}

/** What the calls of one function cost it: units by size, time, and the processor time of what passes. */
class StoreBill {
  readonly #owner: LambdaFunction;
  readonly #world: StoreWorld;

  constructor(owner: LambdaFunction, world: StoreWorld) {
    this.#owner = owner;
    this.#world = world;
  }

  /** The time that so many calls take. */
  async calls(count: number): Promise<void> {
    if (count === 0) return;
    this.#world.meter.add('DynamoDB calls', this.#owner.name, count);
    const rounds = Math.ceil(count / MODEL.parallelWrites);
    await this.#world.clock.sleep(rounds * MODEL.dynamoCallMs);
  }

  got(key: ItemKey, item: Item | undefined): void {
    const bytes = sizeOf(item);
    this.#add('DynamoDB read units', `get ${kindOf(key)}`, getUnits(bytes));
    this.#owner.compute(bytes);
    this.#count(key);
  }

  queried(from: ItemKey, items: readonly Item[]): void {
    const bytes = items.map(itemBytes);
    this.#add('DynamoDB read units', `query ${kindOf(from)}`, queryUnits(bytes));
    this.#owner.compute(bytes.reduce((sum, one) => sum + one, 0));
    for (const item of items) this.#count(item);
  }

  put(item: Item, took: boolean): void {
    const bytes = itemBytes(item);
    this.#write(took ? 'put' : 'refused put', item, took ? bytes : 0);
    this.#owner.compute(bytes);
    if (took) this.#world.sizes.set(item, bytes);
  }

  deleted(key: ItemKey, held: boolean): void {
    this.#write('delete', key, 0);
    if (held) this.#world.sizes.set(key, 0);
  }

  #write(verb: string, key: ItemKey, after: number): void {
    const units = writeUnits(this.#world.sizes.of(key), after);
    this.#add('DynamoDB write units', `${verb} ${kindOf(key)}`, units);
  }

  #count({ sk }: ItemKey): void {
    const { read } = this.#world;
    if (sk.startsWith('R#')) read.rows += 1;
    else if (sk.startsWith('PART#')) read.parts += 1;
    else read.others += 1;
  }

  #add(usage: 'DynamoDB read units' | 'DynamoDB write units', what: string, units: number): void {
    this.#world.meter.add(usage, `${this.#owner.name} ${what}`, units);
  }
}

/**
 * A store as one function sees it, billed as DynamoDB bills it, each call taking its time.
 *
 * `get` is BatchGetItem (GetItem for one key), conditional puts are PutItem each, unconditional ones BatchWriteItem: the
 * units are the same.
 */
export function createBilledStore(
  inner: ItemStore,
  owner: LambdaFunction,
  world: StoreWorld,
): ItemStore {
  const bill = new StoreBill(owner, world);
  return {
    get: async (keys, signal) => {
      await bill.calls(Math.ceil(keys.length / BATCH_GET));
      const items = await inner.get(keys, signal);
      for (const [index, key] of keys.entries()) bill.got(key, items[index]);
      return items;
    },
    query: async (query, signal) => {
      await bill.calls(1);
      const page = await inner.query(query, signal);
      bill.queried({ pk: query.pk, sk: query.from ?? query.pk }, page.items);
      return page;
    },
    put: async (puts, signal) => {
      await bill.calls(puts.length);
      const took = await inner.put(puts, signal);
      for (const [index, { item }] of puts.entries()) bill.put(item, took[index] === true);
      return took;
    },
    delete: async (deletes, signal) => {
      await bill.calls(deletes.length);
      const held = await inner.delete(deletes, signal);
      for (const [index, { key }] of deletes.entries()) bill.deleted(key, held[index] === true);
      return held;
    },
  };
}
