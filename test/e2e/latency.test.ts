import { afterAll, beforeAll, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { apply, clusters, collectionPath, createNamespace, setStatus, watch } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { deployment } from './workloads.ts';

const CHANGES = 200;
const namespace = 'latency';
const { wds, wec1, wec2 } = clusters();
const { ref, object } = deployment({ namespace, name: 'web' });
const binding = controlRef('bindings', 'latency');
let stack: StackChild;

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, ref, object);
  }
  stack = await startStackChild();
  await bind({
    name: binding.name,
    destinations: ['wec1', 'wec2'],
    objects: [[ref, { wantMultiWECReportedState: true }]],
  });
  await setStatus(wec2, ref, rolledOut(1, CHANGES, minute(0)));
});
afterAll(async () => {
  await clear(wds, [binding, ref]);
  await stack.dispose();
});

/** Calls back for each number of replicas that the WDS shows, until the last. */
async function follow(onReplicas: (replicas: number) => void): Promise<void> {
  const path = `${collectionPath(ref, namespace)}?watch=true`;
  await watch(wds, path, (event) => {
    const replicas = Number(at(event, 'object', 'status', 'replicas') ?? 0);
    onReplicas(replicas);
    return replicas === CHANGES;
  });
}

function quantile(sorted: readonly number[], share: number): string {
  return `${Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)} ms`;
}

it('shows each of many changes in the WDS, and says how soon', async () => {
  let seen: (replicas: number) => void = () => undefined;
  const following = follow((replicas) => seen(replicas));
  const times: number[] = [];
  for (let size = 1; size <= CHANGES; size += 1) {
    const shown = new Promise<void>((resolve) => {
      seen = (replicas) => {
        if (replicas === size) resolve();
      };
    });
    const begin = performance.now();
    await setStatus(wec1, ref, rolledOut(1, size, minute(1)));
    await shown;
    times.push(performance.now() - begin);
  }
  await following;
  const sorted = times.toSorted((a, b) => a - b);
  process.stdout.write(
    `status change in a WEC to status in the WDS, ${CHANGES} changes one after the other: ` +
      `p50 ${quantile(sorted, 0.5)}, p99 ${quantile(sorted, 0.99)}\n`,
  );
  expect(times).toHaveLength(CHANGES);
  await eventually(inWds(ref, 'status'), rolledOut(1, CHANGES, minute(1)));
});
