import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, isArray, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, clusters, createNamespace, read, remove, setStatus } from './clusters.ts';
import {
  bind,
  clear,
  collect,
  combinedStatusRef,
  controlRef,
  edit,
  eventually,
  inWds,
} from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { deployment } from './workloads.ts';

const namespace = 'ownership';
const name = 'ownership';
const binding = controlRef('bindings', name);
const policy = controlRef('bindingpolicies', name);
const { wds, wec1, wec2 } = clusters();
const { ref, object } = deployment({ namespace, name: 'web' });
const status = inWds(ref, 'status');
const rows = [{ columns: [{ type: 'Number', float: '2' }] }];
const results = [{ name: 'ownership', columnNames: ['wecs'], rows }];
let stack: StackChild;

const bindBoth = (): Promise<JsonObject> => {
  const modulation = { wantMultiWECReportedState: true, statusCollectors: ['ownership'] };
  return bind({ name, destinations: ['wec1', 'wec2'], objects: [[ref, modulation]] });
};

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, ref, object);
  }
  for (const wec of [wec1, wec2]) await setStatus(wec, ref, rolledOut(1, 3, minute(0)));
  await collect('ownership', { combinedFields: [{ name: 'wecs', type: 'COUNT' }] });
  stack = await startStackChild();
  await bindBoth();
});
afterAll(async () => {
  await clear(wds, [binding, policy, ref]);
  await stack.dispose();
});

/** Waits until the one CombinedStatus stands and the other one does not. */
async function moved(from: ObjectRef, to: ObjectRef): Promise<void> {
  expect(to.name).not.toBe(from.name);
  await eventually(inWds(to, 'results'), results);
  await eventually(() => read(wds, from), undefined);
}

const slotNow = (): Promise<ObjectRef> => combinedStatusRef(ref, name);

describe('a CombinedStatus has the names of what it belongs to', () => {
  it('goes with a workload object that is deleted, and comes with the next one', async () => {
    const before = await slotNow();
    await eventually(inWds(before, 'results'), results);
    await remove(wds, ref);
    await eventually(() => read(wds, before), undefined);
    await apply(wds, ref, object);
    await moved(before, await slotNow());
    await eventually(status, rolledOut(1, 3, minute(0)));
  });

  it('goes with a Binding that is deleted and made again', async () => {
    const before = await slotNow();
    await remove(wds, binding);
    await bindBoth();
    await moved(before, await slotNow());
    await eventually(status, rolledOut(1, 3, minute(0)));
  });

  it('has the uid of the BindingPolicy once there is one, which then says the same as the Binding', async () => {
    const before = await slotNow();
    const { group, version } = policy;
    const created = await apply(wds, policy, {
      apiVersion: `${group}/${version}`,
      kind: 'BindingPolicy',
      metadata: { name },
      spec: { clusterSelectors: [{ matchLabels: { region: 'north' } }] },
    });
    const uid = String(at(created, 'metadata', 'uid'));
    const owner = { apiVersion: `${group}/${version}`, kind: 'BindingPolicy', name, uid };
    await edit(wds, binding, { metadata: { ownerReferences: [owner] } });
    const [workload] = before.name.split('.');
    await moved(before, { ...before, name: `${workload}.${uid}` });
    const available = async (): Promise<unknown> => {
      const conditions = await inWds(policy, 'status', 'conditions')();
      return isArray(conditions) ? conditions.map((entry) => at(entry, 'type')) : undefined;
    };
    await eventually(available, ['StatusCollectorsAvailable']);
  });
});
