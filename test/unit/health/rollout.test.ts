import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import {
  verdictOfPhase,
  WORKLOAD_GENERATION,
  withObservedWorkload,
} from '#shared/core/health/rollout.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

const CANARY: JsonObject = { replicas: 2, strategy: { canary: {} } };
const BLUE_GREEN: JsonObject = { replicas: 2, strategy: { blueGreen: { activeService: 'web' } } };

function rollout(status: JsonObject | undefined, spec: JsonObject | undefined = CANARY) {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web', generation: 5 },
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

function expectVerdict(object: JsonObject, verdict: ArgoCdVerdict): void {
  expect(assessArgoCd(object, '3')).toEqual(verdict);
  expect(assessArgoCd(object, '2.14')).toEqual(verdict);
}

function waiting(message: string): ArgoCdVerdict {
  return { status: 'Progressing', message };
}

const UNOBSERVED = waiting('Waiting for rollout spec update to be observed');
const HEALTHY: ArgoCdVerdict = { status: 'Healthy' };

describe('Argo CD health of an Argo Rollout', () => {
  it.each<[string, JsonObject | undefined, ArgoCdVerdict]>([
    ['waits before its controller has seen it', undefined, UNOBSERVED],
    ['waits for the last change', { observedGeneration: '4', phase: 'Degraded' }, UNOBSERVED],
    ['waits before any change was seen', { observedGeneration: '0', phase: 'Healthy' }, UNOBSERVED],
    ['is healthy by its phase', { observedGeneration: '5', phase: 'Healthy' }, HEALTHY],
    [
      'reads a generation that is a number',
      { observedGeneration: 4, phase: 'Healthy' },
      UNOBSERVED,
    ],
    [
      'is suspended while it is paused',
      { observedGeneration: '5', phase: 'Paused', message: 'CanaryPauseStep' },
      { status: 'Suspended', message: 'CanaryPauseStep' },
    ],
    [
      'takes other phases as they are',
      { observedGeneration: '5', phase: 'Degraded', message: 'RolloutAborted' },
      { status: 'Degraded', message: 'RolloutAborted' },
    ],
    [
      'is unknown by a phase that is no health',
      { observedGeneration: '5', phase: 'Analysing', message: 'why' },
      { status: 'Unknown', message: 'Lua returned an invalid health status' },
    ],
    ['counts as observed by an old hash', { observedGeneration: '58b', phase: 'Healthy' }, HEALTHY],
    [
      'counts as observed by an old hash of digits',
      { observedGeneration: '8575574967', phase: 'Healthy' },
      HEALTHY,
    ],
    ['counts as observed without a generation', { phase: 'Healthy' }, HEALTHY],
  ])('%s', (_name, status, verdict) => {
    expectVerdict(rollout(status), verdict);
  });

  it('is unknown without a spec, because the script fails', () => {
    const { spec: _none, ...object } = rollout({ phase: 'Healthy' });
    expectVerdict(object, { status: 'Unknown', message: 'there is no spec' });
  });

  it('has any version of the group', () => {
    const object = { ...rollout({ phase: 'Paused' }), apiVersion: 'argoproj.io/v1' };
    expect(assessArgoCd(object)?.status).toBe('Suspended');
  });
});

describe('Argo CD health of an Argo Rollout of the pods of another workload', () => {
  const spec = { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };

  it.each<[string, JsonObject | undefined, string | undefined, ArgoCdVerdict]>([
    ['waits for the last change of it', { [WORKLOAD_GENERATION]: '3' }, '2', UNOBSERVED],
    ['waits before any change was seen', { [WORKLOAD_GENERATION]: '3' }, undefined, UNOBSERVED],
    ['waits if no annotation tells of it', { owner: 'shop' }, '3', UNOBSERVED],
    ['has seen it', { [WORKLOAD_GENERATION]: '3' }, '3', HEALTHY],
    ['has seen it if neither tells of it', { owner: 'shop' }, undefined, HEALTHY],
    ['has seen it without annotations', undefined, '3', HEALTHY],
  ])('%s', (...[_name, annotations, observed, verdict]) => {
    const status = {
      observedGeneration: '5',
      phase: 'Healthy',
      ...(observed === undefined ? {} : { workloadObservedGeneration: observed }),
    };
    const object = rollout(status, spec);
    const metadata = { ...object.metadata, ...(annotations === undefined ? {} : { annotations }) };
    expectVerdict({ ...object, metadata }, verdict);
  });

  it.each<[string, JsonObject | null, JsonObject, JsonObject | null]>([
    [
      'is taken to have seen what its status names',
      { owner: 'shop', [WORKLOAD_GENERATION]: '7' },
      { workloadObservedGeneration: '3' },
      { owner: 'shop', [WORKLOAD_GENERATION]: '3' },
    ],
    ['is not compared if its status names none', { [WORKLOAD_GENERATION]: '7' }, {}, {}],
    ['is not compared without annotations', null, { workloadObservedGeneration: '3' }, null],
  ])('%s, if only the status is known', (...[_name, annotations, status, expected]) => {
    expect(withObservedWorkload(annotations, status)).toEqual(expected);
  });
});

describe('Argo CD health of a Rollout of a release before 1.0, which has no phase', () => {
  const DONE: JsonObject = {
    conditions: [{ type: 'Available', status: 'True', reason: 'AvailableReason' }],
    currentPodHash: 'abc',
    replicas: 2,
    updatedReplicas: 2,
    availableReplicas: 2,
    stableRS: 'abc',
  };
  const failing = (type: string, reason: string): JsonObject => ({
    ...DONE,
    conditions: [{ type, status: 'True', reason, message: `${reason}.` }],
  });
  const ACTIVE = { ...DONE, blueGreen: { activeSelector: 'abc' } };

  it.each<[string, JsonObject, ArgoCdVerdict, JsonObject?]>([
    ['is healthy when the canary is done', DONE, HEALTHY],
    ['is healthy when the active service was switched', ACTIVE, HEALTHY, BLUE_GREEN],
    [
      'is healthy before 0.8 without a stable set, if it is blue-green',
      { ...ACTIVE, stableRS: '' },
      HEALTHY,
      BLUE_GREEN,
    ],
    [
      'is healthy with the stable set where releases before 0.8 have it',
      { ...DONE, stableRS: '', canary: { stableRS: 'abc' } },
      HEALTHY,
    ],
    ['is healthy with another strategy', DONE, HEALTHY, { replicas: 2, strategy: {} }],
    ['wants one replica if its spec has no number', DONE, HEALTHY, { strategy: { canary: {} } }],
    ['is degraded by an invalid spec', failing('InvalidSpec', 'Why'), degraded('Why.')],
    [
      'is degraded when it was aborted',
      failing('Progressing', 'RolloutAborted'),
      degraded('RolloutAborted.'),
    ],
    [
      'is degraded when its deadline has passed',
      failing('Progressing', 'ProgressDeadlineExceeded'),
      degraded('ProgressDeadlineExceeded.'),
    ],
    [
      'is suspended by its controller',
      { ...DONE, pauseConditions: [{ reason: 'CanaryPauseStep' }] },
      { status: 'Suspended', message: 'Rollout is paused' },
    ],
    [
      'is suspended by its user',
      { ...DONE, pauseConditions: [] },
      { status: 'Suspended', message: 'Rollout is paused' },
      { ...CANARY, paused: true },
    ],
    [
      'waits before the first pods',
      { conditions: {} },
      waiting('Waiting for rollout to finish: status has not been reconciled.'),
    ],
    [
      'waits for updated pods',
      { ...DONE, updatedReplicas: 1 },
      waiting('Waiting for roll out to finish: More replicas need to be updated'),
    ],
    [
      'waits for available pods',
      { ...DONE, availableReplicas: 1 },
      waiting('Waiting for roll out to finish: updated replicas are still becoming available'),
    ],
    ['waits for the service', DONE, waiting('active service cutover pending'), BLUE_GREEN],
    [
      'waits for an analysis',
      { ...ACTIVE, stableRS: 'before' },
      waiting('waiting for analysis to complete'),
      BLUE_GREEN,
    ],
    [
      'waits for old pods of a canary',
      { ...DONE, replicas: 3 },
      waiting('Waiting for roll out to finish: old replicas are pending termination'),
    ],
    [
      'waits for the steps of a canary',
      { ...DONE, stableRS: 'before' },
      waiting('Waiting for rollout to finish steps'),
    ],
    [
      'is unknown without conditions, because the script fails',
      {},
      { status: 'Unknown', message: 'status has neither a phase nor conditions' },
    ],
  ])('%s', (...[_name, status, verdict, spec = CANARY]) => {
    expectVerdict(rollout(status, spec), verdict);
  });

  function degraded(message: string): ArgoCdVerdict {
    return { status: 'Degraded', message };
  }
});

it('a phase that Argo Rollouts does not have is Unknown', () => {
  expect(['Paused', 'Missing', '', 7].map(verdictOfPhase)).toEqual([
    ...['Suspended', 'Missing', 'Unknown', 'Unknown'],
  ]);
});
