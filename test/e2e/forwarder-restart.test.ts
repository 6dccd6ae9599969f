import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apply, clusters, createNamespace, remove, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import {
  type ForwarderChild,
  type StackChild,
  startForwarderChild,
  startStackChild,
} from './stack-child.ts';
import { deployment } from './workloads.ts';

const namespace = 'forwarder';
const { wds, wec1, wec2 } = clusters();
const web = deployment({ namespace, name: 'web' });
const gone = deployment({ namespace, name: 'gone' });
const binding = controlRef('bindings', 'forwarder');
let stack: StackChild;
let forwarder: ForwarderChild;

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    for (const { ref, object } of [web, gone]) await apply(cluster, ref, object);
  }
  for (const cluster of [wec1, wec2])
    for (const { ref } of [web, gone]) await setStatus(cluster, ref, rolledOut(1, 9, minute(0)));
  stack = await startStackChild({ wecs: ['wec1'] });
  forwarder = await startForwarderChild('wec2', stack.file);
  const multi = { wantMultiWECReportedState: true };
  await bind({
    name: binding.name,
    destinations: ['wec1', 'wec2'],
    objects: [
      [web.ref, multi],
      [gone.ref, multi],
    ],
  });
  for (const { ref } of [web, gone])
    await eventually(inWds(ref, 'status'), rolledOut(1, 9, minute(0)));
});
afterAll(async () => {
  await clear(wds, [binding, web.ref, gone.ref]);
  await forwarder.kill();
  await stack.dispose();
});

describe('the forwarder of a WEC, killed and started again', () => {
  it('loses nothing of what changed while changes were on their way', async () => {
    for (let round = 1; round <= 4; round += 1) {
      const changes = (async () => {
        for (let size = 1; size <= 8; size += 1)
          await setStatus(wec2, web.ref, rolledOut(1, size, minute(round)));
      })();
      await Promise.race([changes, eventually(inWds(web.ref, 'status', 'replicas'), round)]);
      await forwarder.kill();
      await changes;
      await forwarder.start();
      await eventually(inWds(web.ref, 'status'), rolledOut(1, 8, minute(round)));
    }
    expect(forwarder.log()).toBe('');
  });

  it('tells of what was deleted while it was down, and the other WEC is heard all the while', async () => {
    await forwarder.kill();
    await remove(wec2, gone.ref);
    await setStatus(wec1, web.ref, rolledOut(1, 3, minute(9)));
    await eventually(inWds(web.ref, 'status', 'replicas'), 3);
    await eventually(inWds(gone.ref, 'status', 'readyReplicas'), 9);
    await forwarder.start();
    await eventually(inWds(gone.ref, 'status', 'readyReplicas'), undefined);
  });
});
