import type { EventSource, EventSubject } from '#shared/core/event.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import type { WecInventory } from '#shared/core/wec-inventory.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { FollowDeps, Reflectors } from '#shared/watch/reflectors.ts';
import type { SentDigests } from './sent-digests.ts';

/** The dependencies of a source. */
export interface SourceDeps extends FollowDeps {
  /** The digests of a cluster. They are created at the first call. */
  readonly digestsOf: (source: EventSource) => SentDigests;
  /** Whether every object that exists is being sent again. */
  readonly isResyncing: () => boolean;
  /** See `ForwarderOptions.objectsAreHeld`. */
  readonly objectsAreHeld: boolean;
  /** Called when a cluster has become alive. */
  readonly onAlive: (source: EventSource) => void;
  /** Called with the inventory of a WEC by its ManagedCluster, or without one when the ManagedCluster is gone. */
  readonly onManaged: (source: EventSource, inventory?: WecInventory) => void;
}

/** Follows a cluster, and stores the digests of what it has sent. */
export interface Source {
  /** The reflectors of the source. */
  readonly reflectors: Reflectors;
  /** Runs until the signal aborts; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the digests have every object that exists in the cluster. */
  complete(): boolean;
  /** The clusters that are known to be alive while this one answers. */
  alive(): readonly EventSource[];
  /** The reason why the whole source waits, if it does. Absent: it never waits. */
  error?(): string | undefined;
  /** Objects that cannot be reported, with the remedy. At most a few. Absent: all can be reported. */
  problems?(): readonly string[];
}

/** The key of an object in {@link SentDigests}; `key` is the reflector's. */
export function digestKeyOf(resource: Resource, key: string): string {
  return `${groupResource(resource)}/${key}`;
}

/** The subject of an object's event; `key` is the reflector's. */
export function subjectOf({ group, resource }: Resource, key: string): EventSubject {
  const slash = key.indexOf('/');
  return { group, resource, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
