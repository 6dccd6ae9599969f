import type { EventSource, EventSubject } from '#shared/core/event.ts';
import { groupResource } from '#shared/core/resource-name.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import type { FollowDeps, Reflectors } from '#shared/watch/reflectors.ts';
import type { SentDigests } from './sent-digests.ts';

/** What a source needs of the world. */
export interface SourceDeps extends FollowDeps {
  /** The digests of a cluster. They are created at the first call. */
  readonly digestsOf: (source: EventSource) => SentDigests;
  /** Whether everything that stands is being said again. */
  readonly isResyncing: () => boolean;
  /** As `ForwarderOptions.objectsAreHeld`. */
  readonly objectsAreHeld: boolean;
  /** A cluster has become alive. */
  readonly onAlive: (source: EventSource) => void;
}

/** Follows a cluster, and stores the digests of what it has sent. */
export interface Source {
  /** What it follows. */
  readonly reflectors: Reflectors;
  /** Runs until the signal aborts; never throws. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the digests have every object that exists in the cluster. */
  complete(): boolean;
  /** The clusters that are known to be alive while this one answers. */
  alive(): readonly EventSource[];
  /** Why the source as a whole waits, where it does; absent: it never does. */
  error?(): string | undefined;
  /** What cannot be told, and what to do about it; at most a few. Absent: everything can. */
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
