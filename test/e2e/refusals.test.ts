import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  apply,
  clusters,
  collectionPath,
  createNamespace,
  read,
  remove,
  request,
  setStatus,
} from './clusters.ts';
import {
  bind,
  bindingSays,
  clear,
  collect,
  combinedStatusRef,
  controlRef,
  eventually,
  inWds,
} from './controls.ts';
import { type CustomKind, define, instance } from './custom-resources.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { deployment, job, type Manifest } from './workloads.ts';

const namespace = 'refusals';
const { wds, wec1, wec2 } = clusters();
const web = deployment({ namespace, name: 'web' });
const fine = deployment({ namespace, name: 'fine' });
const late = deployment({ namespace, name: 'late' });
const colliding = deployment({ namespace, name: 'colliding' });
const batch = job({ namespace, name: 'batch' });
const valves: CustomKind = { kind: 'Valve', scope: 'Namespaced', statusSubresource: true };
const valve = instance(valves, { namespace, name: 'valve' });
/** What the WDS demands of a valve's status, and the WECs do not. */
const numbered = { type: 'object', properties: { open: { type: 'integer' } } };
const bindings = ['refusals-late', 'refusals-slot', 'refusals-status', 'refusals-collisions'];
const admission = { group: 'admissionregistration.k8s.io', version: 'v1', namespace: '' };
const policy = { ...admission, resource: 'validatingadmissionpolicies', name: 'refusals' };
const policyBinding = { ...policy, resource: 'validatingadmissionpolicybindings' };
const none = { available: 'True', errors: undefined };
let stack: StackChild;

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await define(cluster, cluster === wds ? { ...valves, status: numbered } : valves);
    for (const { ref, object } of [web, fine, colliding, batch, valve])
      await apply(cluster, ref, object);
  }
  await collect('refusals', { combinedFields: [{ name: 'wecs', type: 'COUNT' }] });
  stack = await startStackChild();
});
afterAll(async () => {
  const refs = [web, fine, late, colliding, batch, valve].map(({ ref }) => ref);
  const controls = bindings.map((name) => controlRef('bindings', name));
  await clear(wds, [policyBinding, policy, ...controls, ...refs]);
  await stack.dispose();
});

describe('a Binding that names what does not exist', () => {
  it('says so of no error, and gives the object its status once it is there', async () => {
    const modulation = { wantMultiWECReportedState: true, statusCollectors: ['refusals'] };
    const destinations = ['wec1', 'nowhere'];
    await bind({ name: 'refusals-late', destinations, objects: [[late.ref, modulation]] });
    await eventually(bindingSays('refusals-late'), none);
    await apply(wec1, late.ref, late.object);
    await setStatus(wec1, late.ref, rolledOut(1, 3, minute(1)));
    await apply(wds, late.ref, late.object);
    // The WEC that nobody knows counts as missing.
    await eventually(inWds(late.ref, 'status', 'conditions'), [
      expect.objectContaining({ type: 'Available', status: 'Unknown' }),
      expect.objectContaining({ type: 'Progressing', status: 'Unknown' }),
    ]);
    const slot = await combinedStatusRef(late.ref, 'refusals-late');
    const rows = [{ columns: [{ type: 'Number', float: '2' }] }];
    await eventually(inWds(slot, 'results'), [{ name: 'refusals', columnNames: ['wecs'], rows }]);
  });

  it('says which collector is missing, until there is one', async () => {
    const objects = [[late.ref, { statusCollectors: ['refusals', 'refusals-later'] }]] as const;
    await bind({ name: 'refusals-late', destinations: ['wec1'], objects });
    await eventually(bindingSays('refusals-late'), { available: 'False', errors: undefined });
    await collect('refusals-later', { combinedFields: [{ name: 'wecs', type: 'COUNT' }] });
    await eventually(bindingSays('refusals-late'), none);
    await remove(wds, controlRef('statuscollectors', 'refusals-later'));
    await eventually(bindingSays('refusals-late'), { available: 'False', errors: undefined });
  });
});

/** Makes the WDS refuse each CombinedStatus of this workload object. */
async function refuseCombinedStatusOf(name: string): Promise<void> {
  await apply(wds, policy, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: policy.name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ['control.kubestellar.io'],
            apiVersions: ['v1alpha1'],
            operations: ['CREATE', 'UPDATE'],
            resources: ['combinedstatuses'],
          },
        ],
      },
      validations: [
        {
          expression: `object.metadata.labels['status.kubestellar.io/name'] != '${name}'`,
          message: 'not this one',
        },
      ],
    },
  });
  await apply(wds, policyBinding, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: policy.name },
    spec: { policyName: policy.name, validationActions: ['Deny'] },
  });
  await vi.waitFor(async () => expect(await dryRun(name)).toBe(422), { timeout: 20_000 });
}

/** What the WDS would answer to a CombinedStatus of this workload object. */
async function dryRun(name: string): Promise<number> {
  const resource = controlRef('combinedstatuses', 'probe', namespace);
  const { status } = await request(wds, {
    method: 'POST',
    path: `${collectionPath(resource, namespace)}?dryRun=All`,
    body: {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'CombinedStatus',
      metadata: { name: 'probe', labels: { 'status.kubestellar.io/name': name } },
      results: [],
    },
  });
  return status;
}

describe('a CombinedStatus that the WDS refuses', () => {
  it('is told in the Binding, and keeps back neither the status nor another object', async () => {
    await refuseCombinedStatusOf('web');
    const modulation = { wantSingletonReportedState: true, statusCollectors: ['refusals'] };
    const objects = [web, fine].map(({ ref }) => [ref, modulation] as const);
    for (const { ref } of [web, fine]) await setStatus(wec1, ref, rolledOut(1, 3, minute(1)));
    await bind({ name: 'refusals-slot', destinations: ['wec1'], objects });
    const slot = await combinedStatusRef(web.ref, 'refusals-slot');
    await eventually(bindingSays('refusals-slot'), {
      available: 'True',
      errors: [expect.stringMatching(`CombinedStatus ${slot.name}: .*rejects it: .*not this one`)],
    });
    for (const { ref } of [web, fine])
      await eventually(inWds(ref, 'status'), rolledOut(1, 3, minute(1)));
    const other = await combinedStatusRef(fine.ref, 'refusals-slot');
    await eventually(inWds(other, 'kind'), 'CombinedStatus');
    expect(await read(wds, slot)).toBeUndefined();
  });

  it('is written when something changes and the WDS takes it', async () => {
    for (const ref of [policyBinding, policy]) await remove(wds, ref);
    await vi.waitFor(async () => expect(await dryRun('web')).toBe(201), { timeout: 20_000 });
    await collect('refusals', { combinedFields: [{ name: 'clusters', type: 'COUNT' }] });
    const slot = await combinedStatusRef(web.ref, 'refusals-slot');
    const rows = [{ columns: [{ type: 'Number', float: '1' }] }];
    await eventually(inWds(slot, 'results'), [
      { name: 'refusals', columnNames: ['clusters'], rows },
    ]);
    await eventually(bindingSays('refusals-slot'), none);
  });
});

describe('a status that the WDS refuses', () => {
  const started = (startTime: string): JsonObject => ({ startTime, ready: 0, terminating: 0 });

  const bindTo = (ref: ObjectRef, wec: string) =>
    bind({
      name: 'refusals-status',
      destinations: [wec],
      objects: [[ref, { wantSingletonReportedState: true }]],
    });

  it('is told in the Binding and leaves the object as it is, until another one is wanted', async () => {
    await setStatus(wec1, valve.ref, { open: 1 });
    await setStatus(wec2, valve.ref, { open: 2 });
    await bindTo(valve.ref, 'wec2');
    await eventually(inWds(valve.ref, 'status'), { open: 2 });
    // Not earlier: as long as nothing of a WEC is known, the status is cleared.
    await setStatus(wec2, valve.ref, { open: 'wide' });
    await eventually(bindingSays('refusals-status'), {
      available: 'True',
      errors: [
        expect.stringMatching(
          'valves.others.starfold.dev refusals/valve: status: the API server rejects it: .*open',
        ),
      ],
    });
    expect(await inWds(valve.ref, 'status')()).toEqual({ open: 2 });
    await bindTo(valve.ref, 'wec1');
    await eventually(inWds(valve.ref, 'status'), { open: 1 });
    await eventually(bindingSays('refusals-status'), none);
  });

  it('is not even tried where it can be foreseen: a Job cannot start at another time', async () => {
    await setStatus(wec1, batch.ref, started(minute(1)));
    await setStatus(wec2, batch.ref, { ...started(minute(2)), active: 1 });
    await bindTo(batch.ref, 'wec1');
    await eventually(inWds(batch.ref, 'status'), started(minute(1)));
    await bindTo(batch.ref, 'wec2');
    await eventually(inWds(batch.ref, 'status'), { ...started(minute(1)), active: 1 });
    await eventually(bindingSays('refusals-status'), none);
  });
});

describe('a collisionCount, which API servers let nobody lower or remove', () => {
  const { ref }: Manifest = colliding;
  const status = inWds(ref, 'status');
  const name = 'refusals-collisions';
  const bindTo = (destinations: readonly string[], wantMultiWECReportedState: boolean) =>
    bind({ name, destinations, objects: [[ref, { wantMultiWECReportedState }]] });

  it('stays where the WDS has one and the WECs say none', async () => {
    await setStatus(wds, ref, { collisionCount: 2 });
    for (const wec of [wec1, wec2]) await setStatus(wec, ref, rolledOut(1, 3, minute(1)));
    await bindTo(['wec1', 'wec2'], true);
    await eventually(status, { ...rolledOut(1, 3, minute(1)), collisionCount: 2 });
  });

  it('follows the WEC where that has more', async () => {
    await setStatus(wec1, ref, { ...rolledOut(1, 3, minute(1)), collisionCount: 5 });
    await bindTo(['wec1'], true);
    await eventually(status, { ...rolledOut(1, 3, minute(1)), collisionCount: 5 });
  });

  it('is all that stays of a status that is cleared', async () => {
    await bindTo(['wec1'], false);
    await eventually(inWds(ref, 'metadata', 'labels'), { app: 'colliding' });
    expect(await status()).toEqual({ collisionCount: 5 });
    expect(await bindingSays(name)()).toEqual(none);
  });
});

describe('what is written after a refusal', () => {
  it('ends: nothing is tried for ever', async () => {
    await eventually(() => stack.backlog(), expect.objectContaining({ dirty: 0, hints: 0 }));
    const versions = async (): Promise<unknown> =>
      Promise.all(
        [web, fine, batch, colliding].map(async ({ ref }: { ref: ObjectRef }) =>
          at(await read(wds, ref), 'metadata', 'resourceVersion'),
        ),
      );
    const before = await versions();
    const left = async () =>
      Object.entries(await stack.backlog()).filter(([, messages]) => messages > 0);
    await eventually(left, []);
    expect(await versions()).toEqual(before);
  });
});
