import type { Destinations } from '#shared/core/binding/destinations.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { SchemaSource } from '#shared/ports/schema-source.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { DestinationStore } from '#shared/state/membership.ts';
import type { ShardedDestinations } from '#shared/state/shards.ts';
import type { SpecStore } from '#shared/state/specs.ts';

/** What aggregation needs of the world. The stores over the item store remember what never changes. */
export interface AggregateDeps {
  readonly store: ItemStore;
  readonly specs: SpecStore;
  readonly destinations: DestinationStore;
  readonly shard: (lists: readonly Destinations[]) => ShardedDestinations;
  /** Schemas of the kinds that come with Kubernetes. */
  readonly schemas: SchemaSource;
  readonly dirty: MessageQueue;
  readonly hints: MessageQueue;
  readonly telemetry: Telemetry;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}
