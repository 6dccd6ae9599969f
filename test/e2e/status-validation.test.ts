import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import {
  type Answer,
  apply,
  clusters,
  createNamespace,
  JSON_PATCH,
  pathOf,
  request,
} from './clusters.ts';
import {
  daemonSet,
  deployment,
  job,
  type Manifest,
  type Place,
  replicaSet,
  statefulSet,
} from './workloads.ts';

const namespace = 'status-validation';
const { wds } = clusters();

beforeAll(() => createNamespace(wds, namespace));

function writeStatus({ ref }: Manifest, status: JsonObject): Promise<Answer> {
  const body = [{ op: 'replace', path: '/status', value: status }];
  return request(wds, { method: 'PATCH', path: `${pathOf(ref)}/status`, body, type: JSON_PATCH });
}

async function created(make: (place: Place) => Manifest, name: string): Promise<Manifest> {
  const manifest = make({ namespace, name });
  await apply(wds, manifest.ref, manifest.object);
  return manifest;
}

describe('counters at zero', () => {
  const zero = { replicas: 0, readyReplicas: 0, availableReplicas: 0, observedGeneration: 0 };
  it.each([
    {
      make: deployment,
      written: { ...zero, updatedReplicas: 0, unavailableReplicas: 0, conditions: [] },
      stored: {},
    },
    { make: deployment, written: { terminatingReplicas: 0 }, stored: { terminatingReplicas: 0 } },
    { make: replicaSet, written: { ...zero, fullyLabeledReplicas: 0 }, stored: { replicas: 0 } },
    {
      make: statefulSet,
      written: { ...zero, currentReplicas: 0, updatedReplicas: 0 },
      stored: { replicas: 0, availableReplicas: 0 },
    },
    {
      make: daemonSet,
      written: { numberReady: 0, numberAvailable: 0, updatedNumberScheduled: 0 },
      stored: {
        currentNumberScheduled: 0,
        desiredNumberScheduled: 0,
        numberMisscheduled: 0,
        numberReady: 0,
      },
    },
    {
      make: job,
      written: { active: 0, ready: 0, terminating: 0, succeeded: 0, failed: 0 },
      stored: { ready: 0, terminating: 0 },
    },
  ])('$make.name stores $written as $stored', async ({ make, written, stored }) => {
    const { status, body } = await writeStatus(await created(make, 'zero'), written);
    expect([status, body['status']]).toEqual([200, stored]);
  });
});

describe('counters that contradict each other', () => {
  it.each([
    { make: deployment, status: { replicas: 1, updatedReplicas: 2 } },
    { make: deployment, status: { replicas: 1, readyReplicas: 2 } },
    { make: deployment, status: { replicas: 1, readyReplicas: 1, availableReplicas: 2 } },
    { make: deployment, status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 } },
    { make: deployment, status: { replicas: -1 } },
    { make: deployment, status: { unavailableReplicas: -1 } },
    { make: deployment, status: { observedGeneration: -1 } },
    { make: replicaSet, status: { replicas: 1, readyReplicas: 2 } },
    { make: replicaSet, status: { replicas: 1, fullyLabeledReplicas: 2 } },
    { make: replicaSet, status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 } },
    { make: statefulSet, status: { replicas: 1, readyReplicas: 2 } },
    { make: statefulSet, status: { replicas: 1, currentReplicas: 2 } },
    { make: statefulSet, status: { replicas: 1, updatedReplicas: 2 } },
    { make: statefulSet, status: { replicas: 3, readyReplicas: 1, availableReplicas: 2 } },
    { make: job, status: { active: 1, ready: 2 } },
  ])('$make.name refuses $status', async ({ make, status }) => {
    const answer = await writeStatus(await created(make, 'counters'), status);
    expect([answer.status, answer.body['reason']]).toEqual([422, 'Invalid']);
  });

  it.each([
    { make: deployment, status: { replicas: 1, unavailableReplicas: 5 } },
    { make: deployment, status: { observedGeneration: 99 } },
    { make: daemonSet, status: { desiredNumberScheduled: 1, numberReady: 5 } },
  ])('$make.name takes $status', async ({ make, status }) => {
    const answer = await writeStatus(await created(make, 'accepted'), status);
    expect([answer.status, answer.body['status']]).toMatchObject([200, status]);
  });
});

describe('collisionCount', () => {
  it.each([{ make: deployment }, { make: statefulSet }, { make: daemonSet }])(
    'cannot be lowered or cleared in a $make.name, not even from 0',
    async ({ make }) => {
      const manifest = await created(make, 'collisions');
      expect((await writeStatus(manifest, { collisionCount: 0 })).status).toBe(200);
      expect((await writeStatus(manifest, {})).status).toBe(422);
      expect((await writeStatus(manifest, { collisionCount: 2 })).status).toBe(200);
      expect((await writeStatus(manifest, { collisionCount: 1 })).status).toBe(422);
      expect((await writeStatus(manifest, { collisionCount: 2 })).status).toBe(200);
    },
  );
});

const NOON = '2026-01-01T12:00:00Z';
const LATER = '2026-01-01T13:00:00Z';
const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastProbeTime: NOON,
  lastTransitionTime: NOON,
});
const complete = {
  startTime: NOON,
  completionTime: NOON,
  succeeded: 1,
  conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
};
const failed = {
  startTime: NOON,
  failed: 1,
  conditions: [condition('FailureTarget'), condition('Failed')],
};

describe('the status of a Job', () => {
  it.each([
    { what: 'Complete', statuses: [complete] },
    { what: 'Failed', statuses: [failed] },
    { what: 'Failed=False', statuses: [{ conditions: [condition('Failed', 'False')] }] },
  ])('may be $what', async ({ what, statuses }) => {
    const manifest = await created(job, `takes-${what.replaceAll('=', '-').toLowerCase()}`);
    for (const status of statuses) expect((await writeStatus(manifest, status)).status).toBe(200);
  });

  it.each([
    {
      what: 'Complete and Failed at once',
      statuses: [{ ...complete, conditions: [...complete.conditions, condition('Failed')] }],
    },
    {
      what: 'Complete without SuccessCriteriaMet',
      statuses: [{ ...complete, conditions: [condition('Complete')] }],
    },
    {
      what: 'Failed without FailureTarget',
      statuses: [{ ...failed, conditions: [condition('Failed')] }],
    },
    {
      what: 'SuccessCriteriaMet and FailureTarget at once',
      statuses: [{ conditions: [condition('SuccessCriteriaMet'), condition('FailureTarget')] }],
    },
    {
      what: 'Complete without completionTime',
      statuses: [{ startTime: NOON, conditions: complete.conditions }],
    },
    { what: 'completionTime without Complete', statuses: [{ completionTime: NOON }] },
    { what: 'Failed without startTime', statuses: [{ conditions: failed.conditions }] },
    { what: 'Failed with active pods', statuses: [{ ...failed, active: 1 }] },
    {
      what: 'another completionTime',
      statuses: [complete, { ...complete, completionTime: LATER }],
    },
    { what: 'another startTime', statuses: [{ startTime: NOON }, { startTime: LATER }] },
    { what: 'no startTime any more', statuses: [{ startTime: NOON }, {}] },
    { what: 'fewer failed pods', statuses: [{ failed: 2 }, { failed: 1 }] },
    { what: 'fewer succeeded pods', statuses: [{ succeeded: 2 }, { succeeded: 1 }] },
    { what: 'not Complete any more', statuses: [complete, { ...complete, conditions: [] }] },
  ])('cannot be: $what', async ({ what, statuses }) => {
    const manifest = await created(job, `refuses-${what.replaceAll(' ', '-').toLowerCase()}`);
    const answers: number[] = [];
    for (const status of statuses) answers.push((await writeStatus(manifest, status)).status);
    expect(answers).toEqual(statuses.map((_, index) => (index < statuses.length - 1 ? 200 : 422)));
  });
});
