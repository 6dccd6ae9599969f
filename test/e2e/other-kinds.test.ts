import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
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
  REPORT,
  removeReportNamespace,
} from './controls.ts';
import { type CustomKind, define, instance } from './custom-resources.ts';
import { condition, minute } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';

const namespace = 'other-kinds';
const { wds, wec1, wec2 } = clusters();
const all = [wds, wec1, wec2];
const machines: CustomKind = { kind: 'Machine', scope: 'Namespaced', statusSubresource: true };
const gadgets: CustomKind = { kind: 'Gadget', scope: 'Namespaced', statusSubresource: false };
const planets: CustomKind = { kind: 'Planet', scope: 'Cluster', statusSubresource: true };
const machine = instance(machines, { namespace, name: 'm' });
const gadget = instance(gadgets, { namespace, name: 'g' });
const counting = instance(gadgets, { namespace, name: 'counting' });
const planet = instance(planets, { namespace: '', name: 'earth' });
const core = { group: '', version: 'v1', resource: 'namespaces', namespace: '' };
const place: ObjectRef = { ...core, name: namespace };
const both = ['wec1', 'wec2'];
const MULTI = 'managed-by.kubestellar.io/multiwecstatus';
let stack: StackChild;

beforeAll(async () => {
  for (const cluster of all) {
    await createNamespace(cluster, namespace);
    for (const kind of [machines, gadgets, planets]) await define(cluster, kind);
    for (const { ref, object } of [machine, gadget, counting, planet])
      await apply(cluster, ref, object);
  }
  await collect('other-kinds', {
    select: [{ name: 'phase', def: 'returned.status.phase' }],
  });
  await removeReportNamespace();
  stack = await startStackChild();
});
afterAll(async () => {
  const refs = [machine.ref, gadget.ref, counting.ref, planet.ref];
  const bindings = ['machines', 'gadgets', 'counting', 'planets', 'places'];
  await clear(wds, [...bindings.map((name) => controlRef('bindings', name)), ...refs]);
  await stack.dispose();
});

describe('a custom resource with a status subresource', () => {
  it('is aggregated by the rules for every kind', async () => {
    await setStatus(wec1, machine.ref, {
      observedGeneration: 1,
      phase: 'Running',
      healthy: true,
      ready: 3,
      zone: 'a',
      nodes: [{ name: 'a', cpu: 2 }],
      conditions: [condition('Ready', ['True', 'Started'], minute(1))],
    });
    await setStatus(wec2, machine.ref, {
      observedGeneration: 1,
      phase: 'Running',
      healthy: false,
      ready: 2,
      nodes: [{ name: 'b', cpu: 4 }],
      conditions: [condition('Ready', ['False', 'Starting'], minute(2))],
    });
    const objects = [[machine.ref, { wantMultiWECReportedState: true }]] as const;
    await bind({ name: 'machines', destinations: both, objects });
    await eventually(inWds(machine.ref, 'status'), {
      observedGeneration: 1,
      phase: 'Running',
      healthy: false,
      ready: 2,
      nodes: [{ cpu: 2 }],
      conditions: [condition('Ready', ['False', 'Starting'], minute(2))],
    });
  });

  it('loses what no WEC says any more', async () => {
    for (const wec of [wec1, wec2]) await setStatus(wec, machine.ref, { phase: 'Stopped' });
    await eventually(inWds(machine.ref, 'status'), { phase: 'Stopped' });
  });
});

describe('a custom resource without a status subresource', () => {
  /** Its status is content like any other. */
  const report = (cluster: typeof wec1, ref: ObjectRef, status: JsonObject) =>
    edit(cluster, ref, { status });

  it('has an aggregated status all the same', async () => {
    await report(wec1, gadget.ref, { phase: 'Running', ready: 3, extra: 1 });
    await report(wec2, gadget.ref, { phase: 'Running', ready: 1 });
    const objects = [[gadget.ref, { wantMultiWECReportedState: true }]] as const;
    await bind({ name: 'gadgets', destinations: both, objects });
    await eventually(inWds(gadget.ref, 'status'), { phase: 'Running', ready: 1, extra: 0 });
    await eventually(inWds(gadget.ref, 'metadata', 'labels'), { app: 'g', [MULTI]: 'true' });
    await report(wec1, gadget.ref, { phase: 'Failed', extra: null });
    await eventually(inWds(gadget.ref, 'status'), { ready: 1 });
  });

  it('is repaired, and cleared when nobody wants it any more', async () => {
    await edit(wds, gadget.ref, { status: { ready: 9 } });
    await eventually(inWds(gadget.ref, 'status'), { ready: 1 });
    await remove(wds, controlRef('bindings', 'gadgets'));
    await eventually(inWds(gadget.ref, 'status'), {});
    await eventually(inWds(gadget.ref, 'metadata', 'labels'), { app: 'g' });
  });

  it('comes to rest although each write of its status is a new generation', async () => {
    for (const wec of [wec1, wec2])
      await report(wec, counting.ref, { observedGeneration: 1, phase: 'Running' });
    const objects = [[counting.ref, { wantMultiWECReportedState: true }]] as const;
    await bind({ name: 'counting', destinations: both, objects });
    await eventually(inWds(counting.ref, 'status', 'phase'), 'Running');
    await pause(2_000);
    const version = inWds(counting.ref, 'metadata', 'resourceVersion');
    const before = await version();
    await pause(2_000);
    expect(await version()).toBe(before);
  });
});

describe('a cluster-scoped object', () => {
  it('has its CombinedStatus in a namespace for reports, which is made where it is missing', async () => {
    expect(await read(wds, REPORT)).toBeUndefined();
    await setStatus(wec1, planet.ref, { phase: 'Green', moons: 1 });
    await setStatus(wec2, planet.ref, { phase: 'Blue', moons: 2 });
    const modulation = { wantMultiWECReportedState: true, statusCollectors: ['other-kinds'] };
    const objects = [[planet.ref, modulation]] as const;
    await bind({ name: 'planets', destinations: both, objects });
    await eventually(inWds(planet.ref, 'status'), { moons: 1 });
    const slot = await combinedStatusRef(planet.ref, 'planets');
    await eventually(inWds(slot, 'results'), [
      {
        name: 'other-kinds',
        columnNames: ['phase'],
        rows: [
          { columns: [{ type: 'String', string: 'Green' }] },
          { columns: [{ type: 'String', string: 'Blue' }] },
        ],
      },
    ]);
    expect(await inWds(slot, 'metadata', 'labels')()).toMatchObject({
      'status.kubestellar.io/namespace': '',
      'status.kubestellar.io/name': 'earth',
    });
  });

  it('keeps its own status where it is a Namespace, and can be looked at all the same', async () => {
    const before = await read(wds, place);
    const modulation = { wantSingletonReportedState: true, statusCollectors: ['other-kinds'] };
    const objects = [[place, modulation]] as const;
    await bind({ name: 'places', destinations: ['wec2'], objects });
    const slot = await combinedStatusRef(place, 'places');
    const rows = [{ columns: [{ type: 'String', string: 'Active' }] }];
    await eventually(inWds(slot, 'results'), [
      { name: 'other-kinds', columnNames: ['phase'], rows },
    ]);
    await eventually(() => stack.backlog(), expect.objectContaining({ dirty: 0, hints: 0 }));
    expect(await read(wds, place)).toEqual(before);
  });
});
