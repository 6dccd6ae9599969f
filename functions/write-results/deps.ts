import type { FleetMode } from '#shared/core/fleet-object.ts';
import { FLEET_CLUSTER, UnknownWdsError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';

/** A management cluster of Fleet, and whether statuses are written there. */
export interface Upstream {
  readonly api: ObjectApi;
  readonly mode: FleetMode;
}

/**
 * The `fleet` of {@link WriteDeps} if there is no management cluster.
 *
 * @throws UnknownWdsError always.
 */
export function noFleet(upstream: string): never {
  throw new UnknownWdsError(upstream, [], FLEET_CLUSTER);
}

/** The dependencies of writing. */
export interface WriteDeps {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
  /** The API server of a WDS; throws UnknownWdsError for a name that is not configured. */
  readonly wds: (name: string) => ObjectApi;
  /** A management cluster of Fleet; throws UnknownWdsError for a name that is not configured. */
  readonly fleet: (upstream: string) => Upstream;
  /** Takes the messages about what the API server rejects. Absent if no rule concerns it. */
  readonly notifications?: MessageSender;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The dependencies of the function. */
export interface WriteResultsDeps extends WriteDeps {
  readonly telemetry: Telemetry;
}
