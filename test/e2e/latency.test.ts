import { afterAll, beforeAll, expect, it } from 'vitest';
import { apply, clusters, createNamespace, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { quantile, timesOf } from './latency.ts';
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

it('shows each of many changes in the WDS, and says how soon', async () => {
  const times = await timesOf(ref, 1, CHANGES);
  process.stdout.write(
    `status change in a WEC to status in the WDS, ${CHANGES} changes one after the other: ` +
      `p50 ${quantile(times, 0.5)}, p99 ${quantile(times, 0.99)}\n`,
  );
  expect(times).toHaveLength(CHANGES);
  await eventually(inWds(ref, 'status'), rolledOut(1, CHANGES, minute(1)));
});
