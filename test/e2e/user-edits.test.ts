import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, clusters, createNamespace, kubectl, read, remove, setStatus } from './clusters.ts';
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

const namespace = 'user-edits';
const binding = 'user-edits';
const { wds, wec1, wec2 } = clusters();
const { ref, object } = deployment({ namespace, name: 'web' });
const wanted = rolledOut(1, 3, minute(0));
const labels = { app: 'web', 'managed-by.kubestellar.io/multiwecstatus': 'true' };
let stack: StackChild;
let slot: ObjectRef;
let combined: JsonObject | undefined;

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, ref, object);
  }
  for (const cluster of [wec1, wec2]) await setStatus(cluster, ref, wanted);
  await collect('user-edits', { combinedFields: [{ name: 'wecs', type: 'COUNT' }] });
  stack = await startStackChild();
  await bind({
    name: binding,
    destinations: ['wec1', 'wec2'],
    objects: [[ref, { wantMultiWECReportedState: true, statusCollectors: ['user-edits'] }]],
  });
  await eventually(inWds(ref, 'status'), wanted);
  slot = await combinedStatusRef(ref, binding);
  const rows = [{ columns: [{ type: 'Number', float: '2' }] }];
  await eventually(inWds(slot, 'results'), [{ name: 'user-edits', columnNames: ['wecs'], rows }]);
  combined = await read(wds, slot);
});
afterAll(async () => {
  await clear(wds, [controlRef('bindings', binding), ref]);
  await stack.dispose();
});

/** What Starfold owns of the CombinedStatus. */
async function owned() {
  const seen = await read(wds, slot);
  const metadata = at(seen, 'metadata');
  return [at(metadata, 'labels'), at(metadata, 'ownerReferences'), seen?.['results']];
}

const versions = async (): Promise<unknown> => [
  await inWds(ref, 'metadata', 'resourceVersion')(),
  await inWds(slot, 'metadata', 'resourceVersion')(),
  await inWds(controlRef('bindings', binding), 'metadata', 'resourceVersion')(),
  await inWds(controlRef('statuscollectors', 'user-edits'), 'metadata', 'resourceVersion')(),
];

describe('what users do to what Starfold has written', () => {
  it.each([
    { what: 'another', status: { ...wanted, readyReplicas: 1, availableReplicas: 1 } },
    { what: 'an empty', status: {} },
  ])('is repaired: $what status', async ({ status }) => {
    const before = await inWds(ref, 'metadata', 'resourceVersion')();
    const edited = await setStatus(wds, ref, status);
    expect(at(edited, 'metadata', 'resourceVersion')).not.toBe(before);
    await eventually(inWds(ref, 'status'), wanted);
  });

  it.each([
    { what: 'removed', change: null },
    { what: 'changed', change: 'false' },
  ])('is repaired: a label that is $what', async ({ change }) => {
    const label = 'managed-by.kubestellar.io/multiwecstatus';
    await edit(wds, ref, { metadata: { labels: { [label]: change } } });
    await eventually(inWds(ref, 'metadata', 'labels'), labels);
    await eventually(inWds(ref, 'status'), wanted);
  });

  it('is repaired: a label that kubectl removes', async () => {
    const label = 'managed-by.kubestellar.io/multiwecstatus-';
    await kubectl('wds', ['-n', namespace, 'label', 'deployment', 'web', label]);
    await eventually(inWds(ref, 'metadata', 'labels'), labels);
  });

  it.each([
    { what: 'results', change: { results: [{ name: 'made-up', columnNames: [] }] } },
    {
      what: 'labels',
      change: { metadata: { labels: { 'status.kubestellar.io/name': 'api', mine: 'yes' } } },
    },
    { what: 'all labels', change: { metadata: { labels: null } } },
    { what: 'owner', change: { metadata: { ownerReferences: null } } },
  ])('is repaired: the $what of a CombinedStatus', async ({ change }) => {
    await edit(wds, slot, change);
    const metadata = at(combined, 'metadata');
    await eventually(owned, [
      at(metadata, 'labels'),
      at(metadata, 'ownerReferences'),
      combined?.['results'],
    ]);
  });

  it('is made again: a CombinedStatus that is deleted', async () => {
    const before = await inWds(slot, 'metadata', 'uid')();
    await remove(wds, slot);
    await eventually(inWds(slot, 'results'), combined?.['results']);
    expect(await inWds(slot, 'metadata', 'uid')()).not.toBe(before);
  });

  it('is removed: a CombinedStatus that nobody asked for', async () => {
    const stray = { ...slot, name: 'stray' };
    await apply(wds, stray, {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'CombinedStatus',
      metadata: { name: stray.name, namespace, labels: at(combined, 'metadata', 'labels') ?? {} },
      results: [],
    });
    await eventually(() => read(wds, stray), undefined);
  });

  it('is left alone: what they own themselves', async () => {
    await edit(wds, slot, { metadata: { annotations: { note: 'mine' } } });
    await edit(wds, ref, { metadata: { labels: { team: 'a' }, annotations: { note: 'mine' } } });
    await remove(wds, slot);
    await eventually(inWds(slot, 'results'), combined?.['results']);
    expect(await inWds(ref, 'metadata', 'labels')()).toEqual({ ...labels, team: 'a' });
  });

  it('is followed by no write once everything is right', async () => {
    await eventually(() => stack.backlog(), expect.objectContaining({ dirty: 0, hints: 0 }));
    const before = await versions();
    await pause(3_000);
    // A change of no consequence. (An annotation would be one: API servers count it as a new generation.)
    await edit(wec1, ref, { metadata: { labels: { note: 'new' } } });
    await pause(2_000);
    expect(await versions()).toEqual(before);
  });
});
