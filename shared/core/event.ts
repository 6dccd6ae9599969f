import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { WecInventory } from './wec-inventory.ts';

/** The role of a cluster: workload execution cluster, workload description space, management cluster of Fleet. */
export const SOURCE_TYPES = ['wec', 'wds', 'fleet'] as const;

/** The cluster that sends events. */
export interface EventSource {
  readonly type: (typeof SOURCE_TYPES)[number];
  readonly name: string;
}

/**
 * The order of the events of one source. The epoch grows when a forwarder instance takes over, and the sequence grows
 * within the epoch. Both are integers below 2^53.
 */
export interface EventVersion {
  readonly epoch: number;
  readonly sequence: number;
}

/** The part of a WEC's object that a `wec` forwarder sends. */
export interface ReturnedObject {
  readonly uid: string;
  readonly generation: number;
  readonly sourceGeneration?: number;
  readonly sourceUid?: string;
  /** RFC 3339. */
  readonly created?: string;
  readonly spec?: JsonValue;
  readonly replicasFromScale?: boolean;
  readonly deleting?: boolean;
  /** RFC 3339. */
  readonly lastUpdate?: string;
  readonly status?: JsonValue;
  /**
   * Set if the object was too large to send or to keep: the length of its spec and status in bytes. Both are left out.
   */
  readonly oversizedBytes?: number;
}

/** An object in a cluster, identified as in the WDS. `namespace` is `''` for a cluster-scoped object. */
export interface EventSubject {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The content of an event. `first` marks an object's first event in a snapshot or watch (a list item, an ADDED). */
export type EventContent =
  | {
      readonly type: 'wec-object';
      /** The WDS that the object came from. */
      readonly wds: string;
      readonly subject: EventSubject;
      readonly first: boolean;
      /** Absent if the object was deleted. */
      readonly returned?: ReturnedObject;
    }
  | {
      readonly type: 'wds-object';
      readonly subject: EventSubject;
      readonly first: boolean;
      /** The object without managedFields, with its status. Absent if the object was deleted. */
      readonly object?: JsonObject;
    }
  | {
      readonly type: 'fleet-object';
      readonly subject: EventSubject;
      readonly first: boolean;
      /** What the statuses of other objects depend on (`fleetContent`). Absent if the object was deleted. */
      readonly object?: JsonObject;
      /** The hash of its status and of what the status follows from (`fleetOwnedHash`). Absent if nobody writes its status. */
      readonly ownedHash?: string;
    }
  /**
   * Every existing object of the source has been sent with a version after `since`. Objects with older versions are
   * gone.
   */
  | { readonly type: 'snapshot'; readonly since: EventVersion }
  /** `forwarderVersion`: absent in what older releases sent. */
  | { readonly type: 'heartbeat'; readonly forwarderVersion?: string }
  | {
      readonly type: 'inventory';
      /** The hub whose ManagedCluster has these labels. Absent: the WEC's own forwarder has them. */
      readonly hub?: string;
      /** Absent if the hub or the forwarder knows nothing of the WEC any more. */
      readonly inventory?: WecInventory;
    }
  /**
   * The ManagedClusters of the hub that the source names were listed completely. Those that were last reported before version
   * `since` are gone.
   */
  | { readonly type: 'hub-snapshot'; readonly since: EventVersion };

/** One change seen by a forwarder. */
export interface ForwarderEvent {
  readonly source: EventSource;
  readonly version: EventVersion;
  /** When the forwarder saw it, RFC 3339. */
  readonly time: string;
  readonly content: EventContent;
}
