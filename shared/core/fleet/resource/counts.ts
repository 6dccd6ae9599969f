import { type Drift, driftOf } from '#shared/core/fleet/resource-states.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** The resources to count. */
export interface CountedResources {
  /** The keys of all that is wanted, whether it exists or not. */
  readonly wanted: ReadonlySet<string>;
  /** What is modified, by key: all of it, or where more may be, what is known of it. */
  readonly modified: ReadonlyMap<string, JsonObject>;
  /** The keys of what is not ready. */
  readonly notReady: ReadonlySet<string>;
  /** Whether more may be modified than is known. */
  readonly isCutShort: boolean;
}

/**
 * `status.resourceCounts` (Fleet's code, `calculateResourceCounts`). Each resource counts once: as missing, orphaned or
 * modified, else as not ready, else as ready: or as unknown, where it may be one of those that are modified and not known.
 * An agent knows its resources; `waitApplied` is 0.
 */
export function countResources(counted: CountedResources): JsonObject {
  const { wanted, modified, notReady, isCutShort } = counted;
  const drifts = [...modified.values()].map(driftOf);
  const count = (...some: readonly Drift[]): number =>
    drifts.filter((drift) => some.includes(drift)).length;
  const unmodified = [...wanted].filter((key) => !modified.has(key));
  const unready = unmodified.filter((key) => notReady.has(key)).length;
  const others = unmodified.length - unready;
  return {
    ready: isCutShort ? 0 : others,
    desiredReady: wanted.size,
    waitApplied: 0,
    modified: count('modified'),
    orphaned: count('orphaned'),
    missing: count('missing', 'unowned'),
    unknown: isCutShort ? others : 0,
    notReady: unready,
  };
}
