import { integerAt } from '#shared/core/fleet-object.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/**
 * The number of resources in each state, as Fleet writes it: all members, even if they are 0 (Fleet, Status Fields, class
 * diagram).
 */
export interface ResourceCounts extends JsonObject {
  readonly ready: number;
  readonly desiredReady: number;
  readonly waitApplied: number;
  readonly modified: number;
  readonly orphaned: number;
  readonly missing: number;
  readonly unknown: number;
  readonly notReady: number;
}

/** The counts of no resources. */
export const NO_RESOURCES: ResourceCounts = {
  ready: 0,
  desiredReady: 0,
  waitApplied: 0,
  modified: 0,
  orphaned: 0,
  missing: 0,
  unknown: 0,
  notReady: 0,
};

/** Reads ResourceCounts. A member that is missing or not an integer counts as 0. */
export function readResourceCounts(value: JsonValue | undefined): ResourceCounts {
  return {
    ready: integerAt(value, 'ready'),
    desiredReady: integerAt(value, 'desiredReady'),
    waitApplied: integerAt(value, 'waitApplied'),
    modified: integerAt(value, 'modified'),
    orphaned: integerAt(value, 'orphaned'),
    missing: integerAt(value, 'missing'),
    unknown: integerAt(value, 'unknown'),
    notReady: integerAt(value, 'notReady'),
  };
}

/** The sum of both (Fleet, Status Fields, "Resource Counts"). */
export function addResourceCounts(a: ResourceCounts, b: ResourceCounts): ResourceCounts {
  return {
    ready: a.ready + b.ready,
    desiredReady: a.desiredReady + b.desiredReady,
    waitApplied: a.waitApplied + b.waitApplied,
    modified: a.modified + b.modified,
    orphaned: a.orphaned + b.orphaned,
    missing: a.missing + b.missing,
    unknown: a.unknown + b.unknown,
    notReady: a.notReady + b.notReady,
  };
}

/** The same number of resources, all in one state. */
export function allResources(
  { desiredReady }: ResourceCounts,
  state: 'waitApplied' | 'unknown',
): ResourceCounts {
  return { ...NO_RESOURCES, desiredReady, [state]: desiredReady };
}
