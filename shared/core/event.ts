import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** Which part a cluster has: workload execution cluster, workload description space, management cluster of Fleet. */
export const SOURCE_TYPES = ['wec', 'wds', 'fleet'] as const;

/** Which cluster speaks. */
export interface EventSource {
  readonly type: (typeof SOURCE_TYPES)[number];
  readonly name: string;
}

/**
 * The order of what one source says: the epoch grows when a forwarder instance takes over, the sequence within it. Both
 * are integers below 2^53.
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
  /** The object was too large to send or to keep: its spec and status are left out; their length in bytes. */
  readonly oversizedBytes?: number;
}

/** An object in a cluster, in the WDS's terms. `namespace` is `''` for a cluster-scoped object. */
export interface EventSubject {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What a forwarder says. `first` marks an object's first event in a snapshot or watch (a list item, an ADDED). */
export type EventContent =
  | {
      readonly type: 'wec-object';
      /** The WDS that the object came from. */
      readonly wds: string;
      readonly subject: EventSubject;
      readonly first: boolean;
      /** Absent: deleted. */
      readonly returned?: ReturnedObject;
    }
  | {
      readonly type: 'wds-object';
      readonly subject: EventSubject;
      readonly first: boolean;
      /** The object without managedFields, with its status. Absent: deleted. */
      readonly object?: JsonObject;
    }
  | {
      readonly type: 'fleet-object';
      readonly subject: EventSubject;
      readonly first: boolean;
      /** What the statuses of others follow from (`fleetContent`). Absent: deleted. */
      readonly object?: JsonObject;
      /** The hash of its status and of what the status follows from (`fleetOwnedHash`). Absent if nobody writes its status. */
      readonly ownedHash?: string;
    }
  /** Every object that stands in the source has been sent with a version after `since`; what is older is gone. */
  | { readonly type: 'snapshot'; readonly since: EventVersion }
  | { readonly type: 'heartbeat' };

/** One change seen by a forwarder. */
export interface ForwarderEvent {
  readonly source: EventSource;
  readonly version: EventVersion;
  /** When the forwarder saw it, RFC 3339. */
  readonly time: string;
  readonly content: EventContent;
}
