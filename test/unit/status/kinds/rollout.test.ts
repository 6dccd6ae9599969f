import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { WORKLOAD_GENERATION } from '#shared/core/health/rollout.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const ROLLOUT: WorkloadObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name: 'web', namespace: 'shop', uid: 'wds-web', generation: 1 },
  spec: { replicas: 2, strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } },
};
const REFERRING: WorkloadObject = {
  ...ROLLOUT,
  metadata: { ...ROLLOUT.metadata, annotations: { owner: 'shop' } },
  spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
};

const COUNTERS = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };

/** As Argo Rollouts 1.8 writes it, with the fields that belong to one cluster. */
function status(phase: string, more: JsonObject = {}): JsonObject {
  return {
    HPAReplicas: 2,
    ...COUNTERS,
    blueGreen: {},
    canary: {},
    conditions: [
      {
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: 'ReplicaSet "web-8566c77b97" has successfully progressed.',
        lastTransitionTime: '2025-11-01T10:00:00Z',
        lastUpdateTime: '2025-11-01T10:00:00Z',
      },
    ],
    currentPodHash: '8566c77b97',
    currentStepIndex: 2,
    observedGeneration: '1',
    phase,
    selector: 'app=web',
    stableRS: '8566c77b97',
    ...more,
  };
}

const HEALTHY = status('Healthy');
const PAUSED = status('Paused', { message: 'CanaryPauseStep', updatedReplicas: 1 });
const ABORTED = status('Degraded', { message: 'RolloutAborted: aborted update to revision 2' });

function wecs(...statuses: readonly JsonObject[]): PerWecRow[] {
  return statuses.map((one, index) => reported(`wec${index + 1}`, one));
}

function aggregate(rows: readonly PerWecRow[], workload = ROLLOUT): JsonObject {
  const fold = statusFold(workload, new Map());
  return fold.finish(foldRows(fold, rows)) ?? {};
}

function verdictOn(object: JsonObject): (ArgoCdStatus | undefined)[] {
  return [assessArgoCd(object, '3')?.status, assessArgoCd(object, '2.14')?.status];
}

describe('an aggregated Rollout looks to Argo CD like its worst WEC (docs/rules.md, section 3; argoproj.io/Rollout/health.lua)', () => {
  it.each<[string, readonly PerWecRow[], ArgoCdStatus, JsonObject]>([
    [
      'RO1: a Rollout that was aborted in one WEC is not hidden by others',
      wecs(HEALTHY, ABORTED, PAUSED),
      'Degraded',
      { phase: 'Degraded', message: 'RolloutAborted: aborted update to revision 2' },
    ],
    [
      'a pause in one WEC suspends it',
      wecs(HEALTHY, PAUSED),
      'Suspended',
      { phase: 'Paused', message: 'CanaryPauseStep', updatedReplicas: 1 },
    ],
    ['it is healthy when all are', wecs(HEALTHY, HEALTHY), 'Healthy', { phase: 'Healthy' }],
    [
      'RO2: a WEC that lags is progressing, whatever it says of its older spec',
      [...wecs(HEALTHY), reported('wec2', ABORTED, { sourceGeneration: 0 })],
      'Progressing',
      { phase: 'Progressing', observedGeneration: '0' },
    ],
    [
      'RO3: a WEC that has returned nothing has not observed the generation, and the aggregate says so',
      [...wecs(HEALTHY), { wec: 'wec2' }],
      'Progressing',
      { phase: 'Progressing', observedGeneration: '0' },
    ],
    [
      'a failure goes before WECs that lag',
      [...wecs(ABORTED), { wec: 'wec2' }],
      'Degraded',
      { phase: 'Degraded', observedGeneration: '1' },
    ],
    [
      'a phase that Argo CD does not know is not hidden either',
      [...wecs(status('Analysing')), { wec: 'wec2' }],
      'Unknown',
      { phase: 'Analysing', observedGeneration: '1' },
    ],
    [
      'a WEC with an old release of Argo Rollouts has the phase that Argo CD finds',
      wecs(HEALTHY, { ...HEALTHY, phase: null, observedGeneration: '58b9', stableRS: 'before' }),
      'Progressing',
      { phase: 'Progressing', observedGeneration: '1' },
    ],
    [
      'a pause of an old release is a pause',
      wecs(HEALTHY, { ...HEALTHY, phase: null, pauseConditions: [{ reason: 'CanaryPauseStep' }] }),
      'Suspended',
      { phase: 'Paused' },
    ],
    [
      'a phase that is no text is not written',
      wecs(HEALTHY, status('Healthy', { phase: 7 })),
      'Unknown',
      { phase: 'Unknown' },
    ],
  ])('%s', (...[_name, rows, expected, fields]) => {
    const status = aggregate(rows);
    expect(status).toMatchObject(fields);
    expect(aggregate([...rows].reverse())).toEqual(status);
    expect(verdictOn({ ...ROLLOUT, status })).toEqual([expected, expected]);
  });

  it('has no message for a verdict that no WEC has explained', () => {
    expect(aggregate([...wecs(PAUSED), { wec: 'wec2' }])).not.toHaveProperty('message');
  });

  it('has a generation only if a WEC states one', () => {
    const old = { ...HEALTHY, observedGeneration: '58b949649c' };
    expect(aggregate(wecs(old, old))).not.toHaveProperty('observedGeneration');
    expect(aggregate(wecs(old, old))['phase']).toBe('Healthy');
  });

  it('takes a WorkStatus without a number for one of the current generation, as Argo CD does', () => {
    const { row: _known, ...alone } = reported('wec1', HEALTHY);
    const row = {
      wec: 'wec1',
      uid: '',
      generation: 0,
      status: status('Paused', { observedGeneration: '58b9' }),
    };
    expect(
      aggregate([{ ...alone, row }, ...wecs(HEALTHY).map((one) => ({ ...one, wec: 'wec2' }))]),
    ).toMatchObject({
      phase: 'Paused',
      observedGeneration: '1',
    });
  });
});

describe('the fields of an aggregated Rollout', () => {
  it('are the counters, conditions and what Argo CD reads, and nothing that belongs to one cluster', () => {
    const conditions = HEALTHY['conditions'];
    expect(aggregate(wecs(HEALTHY, HEALTHY))).toEqual({
      ...COUNTERS,
      conditions,
      observedGeneration: '1',
      phase: 'Healthy',
    });
  });

  it.each<[string, WorkloadObject, string | undefined]>([
    ['none without the annotation', REFERRING, undefined],
    ['none without annotations', { ...REFERRING, metadata: ROLLOUT.metadata }, undefined],
    [
      'that of the annotation in the WDS',
      {
        ...REFERRING,
        metadata: { ...ROLLOUT.metadata, annotations: { [WORKLOAD_GENERATION]: '7' } },
      },
      '7',
    ],
  ])(
    'RO4: the generation of the referenced workload is %s, or Argo CD would wait for ever',
    (_name, workload, expected) => {
      const rows = wecs(
        status('Healthy', { workloadObservedGeneration: '3' }),
        status('Healthy', { workloadObservedGeneration: '4' }),
      );
      const made = aggregate(rows, workload);
      expect(made['workloadObservedGeneration']).toBe(expected);
      expect(verdictOn({ ...workload, status: made })).toEqual(['Healthy', 'Healthy']);
    },
  );
});
