import { itemBytes } from '#shared/adapters/item-size.ts';
import { runConcurrently } from '#shared/concurrency.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { Item, ItemKey, ItemStore, Page } from '#shared/ports/item-store.ts';
import type { TableSizes } from '#test/bench/cost/billed-store.ts';
import { getUnits, queryUnits, writeUnits } from '#test/bench/cost/billing-rules.ts';
import type { EventClock } from '#test/bench/cost/event-clock.ts';
import type { Meter } from '#test/bench/cost/meter.ts';
import { AWS } from './assumptions.ts';
import type { Environment } from './environment.ts';
import { drawLatency } from './seeded.ts';
import type { Partitions, UnitUse } from './throughput.ts';

// As the client and the adapter have them (shared/adapters/dynamodb).
const MAX_ATTEMPTS = 5;
const MAX_KEYS_PER_GET = 100;
const MAX_CONCURRENT_REQUESTS = 16;
const MAX_FRUITLESS_ANSWERS = 8;
const UNPROCESSED_WAIT_MS = 50;
const LONGEST_UNPROCESSED_WAIT_MS = 5_000;
/** THROTTLING_RETRY_DELAY_BASE of @smithy/core. */
const THROTTLED_WAIT_MS = 500;

/** What the table needs of the world. */
export interface TableWorld {
  /** The items, without time and without limits. */
  readonly inner: ItemStore;
  readonly clock: EventClock;
  readonly meter: Meter;
  readonly sizes: TableSizes;
  readonly random: () => number;
  /** Those of the present scenario. */
  partitions: Partitions;
  /** Calls that failed because of throttling, after their retries. */
  failedCalls: number;
  /** Told of each item that was put. */
  onPut: (item: Item) => void;
}

function bytesOf(item: Item | undefined): number {
  return item === undefined ? 0 : itemBytes(item);
}

/** The calls of one environment to the table. */
class TableCalls {
  readonly world: TableWorld;
  readonly #environment: Environment;
  readonly #owner: string;

  constructor(world: TableWorld, environment: Environment, owner: string) {
    this.world = world;
    this.#environment = environment;
    this.#owner = owner;
  }

  get now(): number {
    return this.world.clock.now();
  }

  bill(what: string, { type, units }: UnitUse): void {
    const usage = type === 'read' ? 'DynamoDB read units' : 'DynamoDB write units';
    this.world.meter.add(usage, `${this.#owner} ${what}`, units);
  }

  /** One call's time, with the processor time for what it carries. */
  async last(bytes: number): Promise<void> {
    this.world.meter.add('DynamoDB calls', this.#owner, 1);
    await this.#environment.call(drawLatency(AWS.dynamoDb, this.world.random), bytes);
  }

  /** Repeats a request while its partition is throttled, as the SDK does. */
  async admitted(
    pk: string,
    type: UnitUse['type'],
    unitsOf: () => number | Promise<number>,
  ): Promise<void> {
    const { tokens } = this.#environment;
    for (let retries = 0; ; retries += 1) {
      // Nothing is read for a request that is throttled.
      if (this.world.partitions.take(pk, { type, units: 0 }, this.now)) {
        this.world.partitions.take(pk, { type, units: await unitsOf() }, this.now);
        return tokens.succeed(retries);
      }
      await this.last(0);
      if (retries === MAX_ATTEMPTS - 1 || !tokens.take()) return this.fail();
      await this.wait(THROTTLED_WAIT_MS * 2 ** retries);
    }
  }

  /** Waits for a part of this time, by chance. */
  async wait(mostMs: number): Promise<void> {
    await this.world.clock.sleep(Math.round(this.world.random() * mostMs));
  }

  fail(): never {
    this.world.failedCalls += 1;
    throw new StoreUnavailableError('simulated: the table is throttled');
  }
}

async function getBatch(
  calls: TableCalls,
  keys: readonly ItemKey[],
): Promise<(Item | undefined)[]> {
  const { world } = calls;
  const found = new Array<Item | undefined>(keys.length);
  let left = [...keys.entries()];
  for (let fruitless = 0; left.length > 0; ) {
    const rest: typeof left = [];
    let bytes = 0;
    for (const [index, key] of left) {
      const units = getUnits(world.sizes.of(key));
      const use = { type: 'read', units } as const;
      if (!world.partitions.take(key.pk, use, calls.now)) rest.push([index, key]);
      else {
        const [item] = await world.inner.get([key]);
        found[index] = item;
        bytes += bytesOf(item);
        calls.bill('get', use);
      }
    }
    await calls.last(bytes);
    fruitless = rest.length < left.length ? 0 : fruitless + 1;
    if (fruitless === MAX_FRUITLESS_ANSWERS) return calls.fail();
    left = rest;
    if (rest.length > 0)
      await calls.wait(Math.min(LONGEST_UNPROCESSED_WAIT_MS, UNPROCESSED_WAIT_MS * 2 ** fruitless));
  }
  return found;
}

async function getAll(calls: TableCalls, keys: readonly ItemKey[]): Promise<(Item | undefined)[]> {
  const found: (Item | undefined)[] = [];
  const jobs: (() => Promise<void>)[] = [];
  for (let from = 0; from < keys.length; from += MAX_KEYS_PER_GET)
    jobs.push(async () => {
      const items = await getBatch(calls, keys.slice(from, from + MAX_KEYS_PER_GET));
      for (const [index, item] of items.entries()) found[from + index] = item;
    });
  await runConcurrently(jobs, MAX_CONCURRENT_REQUESTS);
  return keys.map((_key, index) => found[index]);
}

/**
 * The table as one environment sees it, with DynamoDB's limits and times and the retries of the adapter. A refused write takes
 * units as well.
 */
export function createTable(world: TableWorld, environment: Environment, owner: string): ItemStore {
  const calls = new TableCalls(world, environment, owner);
  const write = async (key: ItemKey, bytes: number, run: () => Promise<boolean>) => {
    const use = { type: 'write', units: writeUnits(world.sizes.of(key), bytes) } as const;
    await calls.admitted(key.pk, use.type, () => use.units);
    await calls.last(bytes);
    const took = await run();
    if (took) world.sizes.set(key, bytes);
    calls.bill(bytes === 0 ? 'delete' : 'put', use);
    return took;
  };
  return {
    get: (keys) => getAll(calls, keys),
    query: async (query) => {
      let page: Page = { items: [] };
      let bytes: readonly number[] = [];
      await calls.admitted(query.pk, 'read', async () => {
        page = await world.inner.query(query);
        bytes = page.items.map(itemBytes);
        return queryUnits(bytes);
      });
      await calls.last(bytes.reduce((sum, one) => sum + one, 0));
      calls.bill('query', { type: 'read', units: queryUnits(bytes) });
      return page;
    },
    put: async (puts) => {
      const took = puts.map(() => false);
      const jobs = puts.map((put, index) => async () => {
        took[index] = await write(put.item, itemBytes(put.item), async () => {
          const [did = false] = await world.inner.put([put]);
          if (did) world.onPut(put.item);
          return did;
        });
      });
      await runConcurrently(jobs, MAX_CONCURRENT_REQUESTS);
      return took;
    },
    delete: async (deletes) => {
      const held = deletes.map(() => false);
      const jobs = deletes.map((one, index) => async () => {
        held[index] = await write(one.key, 0, async () => {
          const [did = false] = await world.inner.delete([one]);
          return did;
        });
      });
      await runConcurrently(jobs, MAX_CONCURRENT_REQUESTS);
      return held;
    },
  };
}
