import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { condition, reported } from '#test/fixtures/wec-rows.ts';

const AUTOSCALER: WorkloadObject = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'shop', uid: 'wds-web' },
  spec: { minReplicas: 2, maxReplicas: 4 },
};

function aggregate(
  rows: readonly PerWecRow[],
  workload: WorkloadObject = AUTOSCALER,
): JsonObject | undefined {
  const fold = statusFold(workload, new Map());
  const status = fold.finish(foldRows(fold, rows));
  expect(fold.finish(foldRows(fold, [...rows].reverse()))).toEqual(status);
  return status;
}

function wecs(...lists: readonly (readonly JsonObject[])[]): PerWecRow[] {
  return lists.map((conditions, index) => {
    const status = { currentReplicas: 2, desiredReplicas: 2, conditions };
    return reported(`wec${index + 1}`, status, { generation: 0 });
  });
}

const able = (time?: string) => condition('AbleToScale', ['True', 'ReadyForNewScale'], time);
const unable = (reason: string, time?: string) => condition('AbleToScale', ['False', reason], time);
const active = (time?: string) => condition('ScalingActive', ['True', 'ValidMetricFound'], time);
const inactive = (reason: string, time?: string) =>
  condition('ScalingActive', ['False', reason], time);
const limited = (time?: string) => condition('ScalingLimited', ['True', 'TooManyReplicas'], time);
const within = (time?: string) =>
  condition('ScalingLimited', ['False', 'DesiredWithinRange'], time);

interface Case {
  readonly name: string;
  readonly rows: readonly PerWecRow[];
  readonly expected: ArgoCdStatus;
  /** Argo CD 2.14's verdict, where it is another. */
  readonly older?: ArgoCdStatus;
  /** Type, status and reason of the conditions, in their order. */
  readonly conditions: readonly string[];
}

describe('an aggregated HorizontalPodAutoscaler looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_hpa.go)', () => {
  it.each<Case>([
    {
      name: 'autoscalers that are fine are fine',
      rows: wecs([able(), active(), within()], [able(), active(), within()]),
      expected: 'Healthy',
      conditions: [
        'AbleToScale True ReadyForNewScale',
        'ScalingActive True ValidMetricFound',
        'ScalingLimited False DesiredWithinRange',
      ],
    },
    {
      name: 'H1: a failure is not lost for a newer entry that is fine',
      rows: wecs([unable('FailedGetScale', '10:00:00'), limited()], [able('10:05:00'), limited()]),
      expected: 'Degraded',
      conditions: ['AbleToScale False FailedGetScale', 'ScalingLimited True TooManyReplicas'],
    },
    {
      name: 'H2: a failure stands first, where Argo CD 2.14 would find AbleToScale True before it',
      rows: wecs([inactive('FailedGetResourceMetric'), able()], [able(), active()]),
      expected: 'Degraded',
      conditions: [
        'ScalingActive False FailedGetResourceMetric',
        'AbleToScale True ReadyForNewScale',
      ],
    },
    {
      name: 'H2: a failure is not lost behind a newer one that Argo CD does not know',
      rows: wecs(
        [inactive('FailedGetResourceMetric', '10:00:00')],
        [able(), inactive('ScalingDisabled', '10:05:00')],
        [able(), inactive('FailedGetResourceMetric', '10:01:00')],
      ),
      expected: 'Degraded',
      conditions: [
        'AbleToScale Unknown NotReportedByAllWECs',
        'ScalingActive False FailedGetResourceMetric',
      ],
    },
    {
      name: 'of two failures the one that both versions know is told, the other being newer',
      rows: wecs(
        [unable('BackoffBoth'), inactive('InvalidSelector', '10:00:00')],
        [unable('BackoffBoth'), inactive('FailedGetPodsMetric', '10:05:00')],
      ),
      expected: 'Degraded',
      conditions: ['AbleToScale False BackoffBoth', 'ScalingActive False InvalidSelector'],
    },
    {
      name: 'a failure that 2.14 does not know is to it none',
      rows: wecs([able(), inactive('FailedGetPodsMetric')], [able(), active()]),
      expected: 'Degraded',
      older: 'Healthy',
      conditions: ['AbleToScale True ReadyForNewScale', 'ScalingActive False FailedGetPodsMetric'],
    },
    {
      name: 'a WEC that is healthy by ScalingLimited alone leaves the aggregate healthy',
      rows: wecs([unable('BackoffBoth'), limited('10:05:00')], [able(), within()]),
      expected: 'Healthy',
      conditions: ['AbleToScale False BackoffBoth', 'ScalingLimited True TooManyReplicas'],
    },
    {
      name: 'ScalingLimited in one WEC does not make a waiting one healthy',
      rows: wecs([able(), limited('10:05:00')], [unable('BackoffBoth'), within()]),
      expected: 'Progressing',
      conditions: ['AbleToScale False BackoffBoth', 'ScalingLimited False TooManyReplicas'],
    },
    {
      name: 'a failure that 2.14 overlooks in every WEC stays behind what is healthy',
      rows: wecs([able(), inactive('FailedGetResourceMetric')], [able(), active()]),
      expected: 'Degraded',
      older: 'Healthy',
      conditions: [
        'AbleToScale True ReadyForNewScale',
        'ScalingActive False FailedGetResourceMetric',
      ],
    },
    {
      name: 'a failure that 2.14 does not know leaves to it a WEC healthy by ScalingLimited',
      rows: wecs(
        [unable('BackoffBoth'), limited()],
        [able(), inactive('FailedGetObjectMetric'), within()],
      ),
      expected: 'Degraded',
      older: 'Healthy',
      conditions: [
        'AbleToScale False BackoffBoth',
        'ScalingActive False FailedGetObjectMetric',
        'ScalingLimited True DesiredWithinRange',
      ],
    },
    {
      name: 'where to 2.14 a WEC waits, a failure that it does not know goes before one that it overlooks',
      rows: wecs(
        [able(), inactive('FailedGetResourceMetric', '10:05:00')],
        [unable('BackoffBoth'), inactive('FailedGetPodsMetric')],
      ),
      expected: 'Degraded',
      older: 'Progressing',
      conditions: ['AbleToScale False BackoffBoth', 'ScalingActive False FailedGetPodsMetric'],
    },
    {
      name: 'where to 2.14 a WEC waits, a failure that it overlooks is told all the same, as 3 goes first',
      rows: wecs([able(), inactive('FailedGetResourceMetric')], [unable('BackoffBoth')]),
      expected: 'Degraded',
      conditions: ['AbleToScale False BackoffBoth', 'ScalingActive False FailedGetResourceMetric'],
    },
    {
      name: 'a failure in a second entry of a type is not lost',
      rows: wecs([able(), active(), inactive('FailedGetPodsMetric')], [able(), active()]),
      expected: 'Degraded',
      older: 'Healthy',
      conditions: ['AbleToScale True ReadyForNewScale', 'ScalingActive False FailedGetPodsMetric'],
    },
    {
      name: 'a failure that 2.14 overlooks in a second entry does not bring forward one of another type',
      rows: wecs(
        [able(), active()],
        [able(), unable('FailedGetScale')],
        [able(), inactive('FailedGetResourceMetric')],
      ),
      expected: 'Degraded',
      older: 'Healthy',
      conditions: [
        'AbleToScale True ReadyForNewScale',
        'ScalingActive False FailedGetResourceMetric',
      ],
    },
    {
      name: 'a second entry that is healthy counts before one that says nothing',
      rows: wecs([unable('BackoffBoth'), able()], [able()]),
      expected: 'Healthy',
      conditions: ['AbleToScale True ReadyForNewScale'],
    },
    {
      name: 'members that every object has are types like any other',
      rows: wecs([
        condition('constructor', ['True', 'toString']),
        condition('__proto__', ['True', 'toString']),
        able(),
      ]),
      expected: 'Healthy',
      conditions: [
        'AbleToScale True ReadyForNewScale',
        '__proto__ True toString',
        'constructor True toString',
      ],
    },
    {
      name: 'a WEC that has returned nothing waits',
      rows: [...wecs([able()]), { wec: 'wec2' }],
      expected: 'Progressing',
      conditions: ['AbleToScale Unknown NotReportedByAllWECs'],
    },
    {
      name: 'a WEC whose object is being deleted has no failures any more',
      rows: [
        ...wecs([able()]),
        reported('wec2', { conditions: [unable('FailedGetScale')] }, { deleting: true }),
      ],
      expected: 'Progressing',
      conditions: ['AbleToScale Unknown NotReportedByAllWECs'],
    },
  ])('$name', ({ rows, expected, older = expected, conditions }) => {
    const status = aggregate(rows) ?? {};
    const list = status['conditions'];
    // The rule makes a list of conditions.
    const said = (list as readonly JsonObject[]).map(
      (entry) => `${entry['type']} ${entry['status']} ${entry['reason']}`,
    );
    expect(said).toEqual(conditions);
    expect(assessArgoCd({ ...AUTOSCALER, status }, '3')?.status).toBe(expected);
    expect(assessArgoCd({ ...AUTOSCALER, status }, '2.14')?.status).toBe(older);
  });

  it('has the lowest numbers of replicas, and nothing that Argo CD does not read', () => {
    const metrics = { currentMetrics: null, lastScaleTime: '2025-11-01T10:00:00Z' };
    const rows = [
      reported('wec1', { ...metrics, currentReplicas: 4, desiredReplicas: 3 }),
      reported('wec2', { ...metrics, currentReplicas: 2, desiredReplicas: 4 }),
    ];
    expect(aggregate(rows)).toEqual({ currentReplicas: 2, desiredReplicas: 3 });
    expect(aggregate([...rows, reported('wec3', { desiredReplicas: 0 })])).toEqual({
      desiredReplicas: 0,
    });
    expect(aggregate([{ wec: 'wec1' }])).toBeUndefined();
  });
});

describe('an aggregated HorizontalPodAutoscaler of autoscaling/v1', () => {
  const annotations = {
    'autoscaling.alpha.kubernetes.io/conditions': JSON.stringify([unable('FailedGetScale')]),
  };
  const workload = { ...AUTOSCALER, apiVersion: 'autoscaling/v1' };

  it('has the lowest numbers', () => {
    const status = { currentReplicas: 2, desiredReplicas: 3, currentCPUUtilizationPercentage: 90 };
    const rows = [reported('wec1', status), reported('wec2', { ...status, currentReplicas: 4 })];
    const idle = { currentReplicas: 3, desiredReplicas: 3, currentCPUUtilizationPercentage: 5 };
    expect(aggregate([...rows, reported('wec3', idle)], workload)).toEqual({
      ...status,
      currentCPUUtilizationPercentage: 5,
    });
    const none = { currentReplicas: 0, desiredReplicas: 0 };
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', none)], workload)).toEqual(none);
  });

  it('is to Argo CD what the annotation in the WDS says, whatever the status says', () => {
    const judged = { ...workload, metadata: { ...workload.metadata, annotations } };
    const status = aggregate([reported('wec1', { desiredReplicas: 2 })], judged) ?? {};
    expect(assessArgoCd({ ...judged, status })?.status).toBe('Degraded');
    expect(assessArgoCd({ ...workload, status })?.status).toBe('Progressing');
  });
});
