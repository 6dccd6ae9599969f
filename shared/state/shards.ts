import { LRUCache } from 'lru-cache';
import type { Destinations } from '#shared/core/binding/destinations.ts';
import { wecHash } from '#shared/state/keys.ts';

/** Up to this number of destinations, a workload has one shard, and no part is stored. */
const UNSHARDED_DESTINATIONS = 128;

/**
 * The number of shards for a number of destinations: 1 for a small workload, otherwise the power of two nearest to the square
 * root. So one event reads about as many rows as there are parts (docs/architecture.md, section 3).
 */
export function shardCount(destinations: number, unsharded = UNSHARDED_DESTINATIONS): number {
  if (destinations <= unsharded) return 1;
  return 2 ** Math.round(Math.log2(Math.sqrt(destinations)));
}

const HASH_BITS = 32;

/** The shard of a WEC: the leading bits of its hash. So a shard is a range of sort keys. */
export function shardOf(wec: string, shards: number): number {
  const bits = Math.log2(shards);
  return bits === 0 ? 0 : Number.parseInt(wecHash(wec), 16) >>> (HASH_BITS - bits);
}

/** The first and last WEC hash of a shard. */
export function shardHashes(shard: number, shards: number): { from: string; to: string } {
  const size = 2 ** HASH_BITS / shards;
  const hex = (value: number): string => value.toString(16).padStart(8, '0');
  return { from: hex(shard * size), to: hex((shard + 1) * size - 1) };
}

/** The WECs of some destination lists by shard, each WEC once. */
export interface ShardedDestinations {
  readonly shards: number;
  /** The WEC names of each shard. */
  readonly wecs: readonly (readonly string[])[];
}

function shardDestinations(lists: readonly Destinations[], unsharded: number): ShardedDestinations {
  const [only, ...others] = lists;
  const all = new Set(only?.names);
  for (const list of others) for (const wec of list.names) all.add(wec);
  const shards = shardCount(all.size, unsharded);
  const wecs: string[][] = Array.from({ length: shards }, () => []);
  for (const wec of all) wecs[shardOf(wec, shards)]?.push(wec);
  return { shards, wecs };
}

const MAX_REMEMBERED = 50;

/**
 * Creates a function that divides destination lists into shards, and caches the result because the lists of a workload change
 * rarely.
 *
 * @param unsharded up to this number of destinations, a workload has one shard
 */
export function createSharder(
  unsharded = UNSHARDED_DESTINATIONS,
): (lists: readonly Destinations[]) => ShardedDestinations {
  const remembered = new LRUCache<string, ShardedDestinations>({ max: MAX_REMEMBERED });
  return (lists) => {
    const key = lists
      .map((list) => list.hash)
      .sort()
      .join(' ');
    let sharded = remembered.get(key);
    if (sharded === undefined) {
      sharded = shardDestinations(lists, unsharded);
      remembered.set(key, sharded);
    }
    return sharded;
  };
}
