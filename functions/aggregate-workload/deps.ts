import type { Destinations } from '#shared/core/binding/destinations.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import { createInventoryStore, type InventoryStore } from '#shared/state/fleet/inventory.ts';
import { createListings, type Listings } from '#shared/state/listings.ts';
import { createDestinationStore, type DestinationStore } from '#shared/state/membership.ts';
import { createSharder, type ShardedDestinations, shardCount } from '#shared/state/shards.ts';
import { createSpecStore, type SpecStore } from '#shared/state/specs.ts';

/** What is kept in an item store, as a process remembers it: what never changes is read once. */
export interface RememberedState {
  readonly specs: SpecStore;
  readonly destinations: DestinationStore;
  readonly shard: (lists: readonly Destinations[]) => ShardedDestinations;
  /** In how many shards so many rows are folded. */
  readonly shardCount: (rows: number, unsharded?: number) => number;
  readonly inventories: InventoryStore;
  readonly listings: Listings;
  /** WDSes of which it is known that all of them has been told and followed, and that those who waited were told. */
  readonly followedWdses: Set<string>;
}

/** What aggregation needs of the world. */
export interface AggregateDeps extends RememberedState {
  readonly store: ItemStore;
  /** Schemas of the kinds that come with Kubernetes. */
  readonly schemas: SchemaSource;
  readonly dirty: MessageSender;
  readonly hints: MessageSender;
  readonly telemetry: Telemetry;
  /** Parts of shards that were not folded under this name are outdated: what changed meanwhile has not been told. */
  readonly anew?: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** After so long the shards that are not folded are left to another message; default: 12 seconds. */
  readonly lateMs?: number;
  /** So many Bindings count for one workload object; default: `MAX_OBJECT_BINDINGS`. */
  readonly maxBindings?: number;
}

/**
 * What a process remembers of an item store.
 *
 * @param unsharded up to so many rows are folded in one shard; default: as `shardCount` and `createSharder` have it
 */
export function rememberState(store: ItemStore, unsharded?: number): RememberedState {
  return {
    specs: createSpecStore(store),
    destinations: createDestinationStore(store),
    shard: createSharder(unsharded),
    shardCount: (rows, most) => shardCount(rows, unsharded ?? most),
    inventories: createInventoryStore(store),
    listings: createListings(store),
    followedWdses: new Set(),
  };
}
