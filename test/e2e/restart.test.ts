import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { apply, clusters, createNamespace, read, remove, setStatus } from './clusters.ts';
import {
  bind,
  clear,
  collect,
  combinedStatusRef,
  controlRef,
  eventually,
  inWds,
} from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { configMap, deployment } from './workloads.ts';

const namespace = 'restart';
const { wds, wec1, wec2 } = clusters();
const web = deployment({ namespace, name: 'web' });
const api = deployment({ namespace, name: 'api' });
const old = deployment({ namespace, name: 'old' });
const both = { destinations: ['wec1', 'wec2'] };
const multi = { wantMultiWECReportedState: true, statusCollectors: ['restart'] };
const [shared, outgoing] = [
  controlRef('bindings', 'restart'),
  controlRef('bindings', 'restart-old'),
];
let stack: StackChild;

/** The status of both WECs' Deployments: each counts its first generation. */
async function report(ref: typeof web.ref, [first, second]: readonly [JsonObject, JsonObject]) {
  await setStatus(wec1, ref, first);
  await setStatus(wec2, ref, second);
}

const sizes = (columns: readonly string[]) =>
  columns.map((float) => ({ columns: [{ type: 'Number', float }] }));

function resultsOf(...ready: readonly string[]) {
  return [{ name: 'restart', columnNames: ['ready'], rows: sizes(ready) }];
}

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    for (const { ref, object } of [web, api, old]) await apply(cluster, ref, object);
  }
  await collect('restart', { select: [{ name: 'ready', def: 'returned.status.readyReplicas' }] });
  for (const { ref } of [web, api, old])
    await report(ref, [rolledOut(1, 3, minute(0)), rolledOut(1, 3, minute(0))]);
  stack = await startStackChild();
  const objects = [
    [web.ref, multi],
    [api.ref, multi],
  ] as const;
  await bind({ name: shared.name, ...both, objects });
  await bind({ name: outgoing.name, ...both, objects: [[old.ref, multi]] });
  for (const { ref } of [web, api, old])
    await eventually(inWds(ref, 'status'), rolledOut(1, 3, minute(0)));
});
afterAll(async () => {
  await clear(wds, [shared, outgoing, web.ref, api.ref, old.ref]);
  await stack.dispose();
});

describe('the stack, killed and started again', () => {
  it('makes the WDS right whatever it was killed in the middle of', async () => {
    const slot = await combinedStatusRef(web.ref, shared.name);
    for (let round = 1; round <= 6; round += 1) {
      const changes = (async () => {
        for (let size = 1; size <= 10; size += 1)
          for (const { ref } of [web, api])
            await report(ref, [
              rolledOut(1, size, minute(round)),
              rolledOut(1, size + 1, minute(round)),
            ]);
      })();
      // After a time of its own in each round: the first changes, or the last ones, are on their way.
      await Promise.race([changes, eventually(inWds(web.ref, 'status', 'replicas'), round)]);
      await stack.kill();
      await changes;
      await stack.start();
      for (const { ref } of [web, api])
        await eventually(inWds(ref, 'status'), rolledOut(1, 10, minute(round)));
      await eventually(inWds(slot, 'results'), resultsOf('10', '11'));
    }
  });

  it('catches up with what happened while it was down: changes and deletions everywhere', async () => {
    const slot = await combinedStatusRef(web.ref, shared.name);
    const oldSlot = await combinedStatusRef(old.ref, outgoing.name);
    await stack.kill();
    await report(web.ref, [rolledOut(1, 2, minute(10)), rolledOut(1, 3, minute(11))]);
    await remove(wec2, api.ref);
    await remove(wds, slot);
    await remove(wds, outgoing);
    await setStatus(wds, web.ref, { replicas: 9 });
    await stack.start();
    await eventually(inWds(web.ref, 'status'), rolledOut(1, 2, minute(11)));
    await eventually(inWds(slot, 'results'), resultsOf('2', '3'));
    await eventually(inWds(api.ref, 'status', 'readyReplicas'), undefined);
    const apiSlot = await combinedStatusRef(api.ref, shared.name);
    await eventually(inWds(apiSlot, 'results'), [
      {
        name: 'restart',
        columnNames: ['ready'],
        rows: [...sizes(['10']), { columns: [{ type: 'Null' }] }],
        rowErrors: [
          {
            wec: { clusterId: 'wec2' },
            columnName: 'ready',
            error: 'no such key: readyReplicas',
          },
        ],
      },
    ]);
    await eventually(inWds(old.ref, 'status'), {});
    await eventually(inWds(old.ref, 'metadata', 'labels'), { app: 'old' });
    await eventually(() => read(wds, oldSlot), undefined);
  });

  it('writes nothing where nothing happened while it was down', async () => {
    const slot = await combinedStatusRef(web.ref, shared.name);
    const refs = [web.ref, slot, shared, controlRef('statuscollectors', 'restart')];
    const versions = (): Promise<readonly unknown[]> =>
      Promise.all(refs.map((ref) => inWds(ref, 'metadata', 'resourceVersion')()));
    await eventually(() => stack.backlog(), expect.objectContaining({ dirty: 0, hints: 0 }));
    const before = await versions();
    await stack.kill();
    await stack.start();
    // The API's Deployment is handled after the snapshots that the forwarders begin with.
    await apply(wec2, api.ref, api.object);
    await setStatus(wec2, api.ref, rolledOut(1, 4, minute(12)));
    await eventually(inWds(api.ref, 'status', 'readyReplicas'), 4);
    await eventually(() => stack.backlog(), expect.objectContaining({ dirty: 0, hints: 0 }));
    expect(await versions()).toEqual(before);
    await remove(wec2, api.ref);
  });

  it('forgets a workload object that was deleted and made again while it was down', async () => {
    const before = await combinedStatusRef(web.ref, shared.name);
    await stack.kill();
    await remove(wds, web.ref);
    await apply(wds, web.ref, web.object);
    await stack.start();
    await eventually(inWds(web.ref, 'status'), rolledOut(1, 2, minute(11)));
    const slot = await combinedStatusRef(web.ref, shared.name);
    await eventually(inWds(slot, 'results'), resultsOf('2', '3'));
    await eventually(() => read(wds, before), undefined);
  });
});

describe('the forwarders of the WECs', () => {
  it('lose nothing when they start again for another resource while statuses change', async () => {
    const settings = configMap({ namespace, name: 'settings' });
    await apply(wds, settings.ref, settings.object);
    const changes = (async () => {
      for (let size = 1; size <= 40; size += 1)
        await report(web.ref, [rolledOut(1, size, minute(20)), rolledOut(1, size, minute(21))]);
    })();
    const objects = [
      [web.ref, multi],
      [settings.ref, { statusCollectors: ['restart'] }],
    ] as const;
    await eventually(inWds(web.ref, 'status', 'conditions'), expect.anything());
    await bind({ name: shared.name, ...both, objects });
    await changes;
    await eventually(inWds(web.ref, 'status'), rolledOut(1, 40, minute(21)));
    await eventually(inWds(api.ref, 'status'), {});
  });
});
