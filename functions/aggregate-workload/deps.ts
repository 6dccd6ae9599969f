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
import { createWecInventories, type WecInventories } from '#shared/state/wec-inventories.ts';
import { type CollectorChecks, createCollectorChecks } from './collector-checks.ts';

/** The content of an item store that a process caches. Immutable content is read once. */
export interface RememberedState {
  readonly specs: SpecStore;
  readonly destinations: DestinationStore;
  readonly shard: (lists: readonly Destinations[]) => ShardedDestinations;
  /** The number of shards for a number of rows. */
  readonly shardCount: (rows: number, unsharded?: number) => number;
  readonly inventories: InventoryStore;
  readonly wecInventories: WecInventories;
  readonly listings: Listings;
  readonly collectors: CollectorChecks;
  /**
   * The WDSes that are known to have reported everything, whose Bindings have been followed, and whose waiting subjects have
   * been notified.
   */
  readonly followedWdses: Set<string>;
}

/** The dependencies of the aggregation. */
export interface AggregateDeps extends RememberedState {
  readonly store: ItemStore;
  /** Schemas of the kinds that come with Kubernetes. */
  readonly schemas: SchemaSource;
  readonly dirty: MessageSender;
  readonly hints: MessageSender;
  /** Takes the messages about changed verdicts. Absent if no rule concerns them. */
  readonly notifications?: MessageSender;
  readonly telemetry: Telemetry;
  /**
   * If present, parts of shards that were not folded under this name are outdated, because nobody was notified of the changes
   * meanwhile.
   */
  readonly anew?: string;
  /** Whether the messages were received before. The subject may have ended the process that received them. */
  readonly isTrial?: boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The time after which the remaining shards are left to another message. Default: 12 seconds. */
  readonly lateMs?: number;
  /** The maximum number of Bindings that count for one workload object. Default: `MAX_OBJECT_BINDINGS`. */
  readonly maxBindings?: number;
  /** What an aggregation may spend on checking StatusCollectors. Default: `MAX_OBJECT_CHECK_COST`. */
  readonly maxCheckCost?: number;
}

/**
 * Creates the caches of a process for an item store.
 *
 * @param unsharded the maximum number of rows that are folded in one shard. Default: the default of `shardCount` and
 *   `createSharder`.
 */
export function rememberState(store: ItemStore, unsharded?: number): RememberedState {
  return {
    specs: createSpecStore(store),
    destinations: createDestinationStore(store),
    shard: createSharder(unsharded),
    shardCount: (rows, most) => shardCount(rows, unsharded ?? most),
    inventories: createInventoryStore(store),
    wecInventories: createWecInventories(store),
    listings: createListings(store),
    collectors: createCollectorChecks(store),
    followedWdses: new Set(),
  };
}
