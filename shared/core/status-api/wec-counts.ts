import type { WecStatus } from './wec-status.ts';

/** The workload objects that are sent to a WEC. */
export interface WecCounts {
  readonly objects: number;
  /** How many of them have a health in the WEC that is not Healthy. Absent if only rows say, and too many of them. */
  readonly unhealthyObjects?: number;
}

/** Whether a health counts as unhealthy. An object of a kind that Argo CD does not judge has none. */
export function isUnhealthy(health: string | undefined): boolean {
  return health !== undefined && health !== '' && health !== 'Healthy';
}

/** Counts what WECs report, by WEC. */
export function countStatuses(
  statuses: readonly Pick<WecStatus, 'wec' | 'health'>[],
): ReadonlyMap<string, Required<WecCounts>> {
  const counts = new Map<string, Required<WecCounts>>();
  for (const { wec, health } of statuses) {
    const { objects, unhealthyObjects } = counts.get(wec) ?? { objects: 0, unhealthyObjects: 0 };
    const unhealthy = Number(isUnhealthy(health?.status));
    counts.set(wec, { objects: objects + 1, unhealthyObjects: unhealthyObjects + unhealthy });
  }
  return counts;
}
