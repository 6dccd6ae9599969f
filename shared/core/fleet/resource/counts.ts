import { isTrueAt } from '#shared/core/fleet/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';

/** The resources to count, each list in full. */
export interface CountedResources {
  /** The keys of all that is wanted, whether it exists or not. */
  readonly wanted: ReadonlySet<string>;
  /** What is modified, by key. */
  readonly modified: ReadonlyMap<string, JsonObject>;
  /** The keys of what is not ready. */
  readonly notReady: ReadonlySet<string>;
}

/**
 * `status.resourceCounts` (Fleet's code, `calculateResourceCounts`). Each resource counts once: as missing, orphaned or
 * modified, else as not ready, else as ready. An agent knows its resources, so `waitApplied` and `unknown` are 0.
 */
export function countResources({ wanted, modified, notReady }: CountedResources): JsonObject {
  const entries = [...modified.values()];
  const missing = entries.filter((entry) => isTrueAt(entry, 'missing'));
  const rest = entries.filter((entry) => !isTrueAt(entry, 'missing'));
  const orphaned = rest.filter((entry) => isTrueAt(entry, 'delete'));
  const unmodified = [...wanted].filter((key) => !modified.has(key));
  const unready = unmodified.filter((key) => notReady.has(key));
  return {
    ready: unmodified.length - unready.length,
    desiredReady: wanted.size,
    waitApplied: 0,
    modified: rest.length - orphaned.length,
    orphaned: orphaned.length,
    missing: missing.length,
    unknown: 0,
    notReady: unready.length,
  };
}
