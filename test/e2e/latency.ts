import { at } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { clusters, collectionPath, setStatus, watch } from './clusters.ts';
import { minute, rolledOut } from './rollout.ts';

/** Calls back for each number of replicas that the WDS shows of a Deployment, until the last. */
async function follow(
  ref: ObjectRef,
  last: number,
  onReplicas: (replicas: number) => void,
): Promise<void> {
  await watch(clusters().wds, `${collectionPath(ref, ref.namespace)}?watch=true`, (event) => {
    const replicas = Number(at(event, 'object', 'status', 'replicas') ?? 0);
    onReplicas(replicas);
    return replicas === last;
  });
}

/**
 * How long each of many changes in wec1, one after the other, takes until the WDS shows it; milliseconds, sorted. The
 * Deployment is the only one of its namespace in the WDS.
 *
 * @param first how many replicas its status counts after the first change; one more after each
 * @param last and after the last one
 */
export async function timesOf(
  ref: ObjectRef,
  first: number,
  last: number,
): Promise<readonly number[]> {
  let seen: (replicas: number) => void = () => undefined;
  const following = follow(ref, last, (replicas) => seen(replicas));
  const times: number[] = [];
  for (let size = first; size <= last; size += 1) {
    const shown = new Promise<void>((resolve) => {
      seen = (replicas) => {
        if (replicas === size) resolve();
      };
    });
    const begin = performance.now();
    await setStatus(clusters().wec1, ref, rolledOut(1, size, minute(1)));
    await shown;
    times.push(performance.now() - begin);
  }
  await following;
  return times.sort((a, b) => a - b);
}

/** The time within which this share of the changes was shown, as text. */
export function quantile(sorted: readonly number[], share: number): string {
  return `${Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)} ms`;
}
