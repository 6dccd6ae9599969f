import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { condition, counts, deployment, reported } from '#test/fixtures/wec-rows.ts';

const SPECS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['2', { replicas: 2 }],
  ['3', { replicas: 3 }],
  ['5', { replicas: 5 }],
  ['none', {}],
  ['paused', { replicas: 3, paused: true }],
]);

function aggregate(
  rows: readonly PerWecRow[],
  workload: WorkloadObject = deployment(),
): JsonObject | undefined {
  const fold = statusFold(workload, SPECS);
  return fold.finish(foldRows(fold, rows));
}

function verdict(rows: readonly PerWecRow[], workload = deployment()): string | undefined {
  return assessArgoCd({ ...workload, status: aggregate(rows, workload) ?? {} })?.status;
}

const DONE = counts(3, [3, 3, 3]);
const progressing = (status: string, reason: string, time?: string): JsonObject =>
  condition('Progressing', [status, reason], time);
const exceeded = (time: string): JsonObject =>
  progressing('False', 'ProgressDeadlineExceeded', time);
const lagging: Partial<WecRow> = { sourceGeneration: 1 };

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

describe('an aggregated Deployment looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_deployment.go)', () => {
  it.each([
    {
      name: 'D1: absent counters are 0, not skipped',
      rows: wecs({ observedGeneration: 1, replicas: 3, updatedReplicas: 3 }, DONE),
      expected: 'Progressing',
      status: { observedGeneration: 1, replicas: 3, updatedReplicas: 3 },
    },
    {
      name: 'D2: an old replica that is still there shows',
      rows: wecs({ ...counts(4, [3, 3, 3]) }, DONE),
      expected: 'Progressing',
      status: { replicas: 4, updatedReplicas: 3, availableReplicas: 3 },
    },
    {
      name: 'D3: a WEC that runs more than the WDS wants does not look unfinished for ever',
      rows: wecs(counts(5, [5, 5, 5]), DONE),
      expected: 'Healthy',
      status: { replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
    },
    {
      name: 'D4: a passed deadline is not hidden by a newer entry of a healthy WEC',
      rows: wecs(
        { ...counts(4, [1, 3, 3]), conditions: [exceeded('10:00:00')] },
        { ...DONE, conditions: [progressing('True', 'NewReplicaSetAvailable', '10:05:00')] },
      ),
      expected: 'Degraded',
      status: {
        conditions: [
          {
            ...exceeded('10:00:00'),
            lastTransitionTime: '2025-11-01T10:05:00Z',
            lastUpdateTime: '2025-11-01T10:05:00Z',
          },
        ],
      },
    },
    {
      name: 'D4b: nor by a newer failure of another kind',
      rows: wecs(
        { ...counts(4, [1, 3, 3]), conditions: [exceeded('10:00:00')] },
        {
          ...counts(3, [0, 3, 3]),
          conditions: [progressing('False', 'ReplicaSetCreateError', '10:05:00')],
        },
      ),
      expected: 'Degraded',
      status: { conditions: [{ status: 'False', reason: 'ProgressDeadlineExceeded' }] },
    },
    {
      name: "D5: the WDS's earlier edits, which no WEC has counted, are no lag",
      workload: deployment(5),
      rows: [
        reported('wec1', DONE, { sourceGeneration: 5 }),
        reported('wec2', DONE, { sourceGeneration: 5 }),
      ],
      expected: 'Healthy',
      status: { observedGeneration: 5 },
    },
    {
      name: 'D6: generations that an autoscaler in the WEC has counted do not hide a lag',
      workload: deployment(2),
      rows: [
        reported('wec1', { ...DONE, observedGeneration: 7 }, { ...lagging, generation: 7 }),
        reported('wec2', { ...DONE, observedGeneration: 7 }, { ...lagging, generation: 7 }),
      ],
      expected: 'Progressing',
      status: { observedGeneration: 1 },
    },
    {
      name: 'D7: one reporter of three is not a healthy singleton',
      rows: [reported('wec1', DONE), { wec: 'wec2' }, { wec: 'wec3' }],
      expected: 'Progressing',
      status: { unavailableReplicas: undefined, observedGeneration: undefined },
    },
    {
      name: 'D7b: nor are two of three that have a WEC without a status beside them',
      rows: [...wecs(DONE, DONE), reported('wec3', null)],
      expected: 'Progressing',
      status: { readyReplicas: undefined },
    },
    {
      name: 'D8: a WEC that is known to want fewer replicas is done with fewer',
      rows: [
        reported('wec1', counts(2, [2, 2, 2]), { specHash: '2' }),
        reported('wec2', DONE, { specHash: '3' }),
      ],
      expected: 'Healthy',
      status: { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 },
    },
    {
      name: 'D8b: a WEC that is known to want more replicas is not done with as many as the WDS wants',
      rows: [
        reported('wec1', counts(3, [3, 3, 3]), { specHash: '5' }),
        reported('wec2', DONE, { specHash: '3' }),
      ],
      expected: 'Progressing',
      status: { replicas: 3, updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3 },
    },
    {
      name: 'D9: no more replicas are available than are ready, so the API server takes it',
      rows: wecs(
        { observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 1 },
        DONE,
      ),
      expected: 'Progressing',
      status: { replicas: 3, readyReplicas: 1, availableReplicas: undefined },
    },
    {
      name: 'D10: a current WEC past its deadline is not hidden by a lagging one',
      workload: deployment(2),
      rows: [
        reported(
          'wec1',
          { ...counts(4, [1, 3, 3]), conditions: [exceeded('10:00:00')] },
          { sourceGeneration: 2 },
        ),
        reported('wec2', DONE, lagging),
      ],
      expected: 'Degraded',
      status: { observedGeneration: 2 },
    },
    {
      name: "D11: a deadline that the WEC's previous spec has passed is none, by the generation alone",
      workload: deployment(2),
      rows: [
        reported('wec1', { ...DONE, conditions: [exceeded('10:09:00')] }, lagging),
        reported(
          'wec2',
          { ...counts(3, [1, 3, 3]), conditions: [progressing('True', 'ReplicaSetUpdated')] },
          { sourceGeneration: 2 },
        ),
      ],
      expected: 'Progressing',
      status: {
        observedGeneration: 1,
        conditions: [{ status: 'False', reason: 'ProgressDeadlineExceeded' }],
      },
    },
    {
      name: 'a deadline passed before the WEC was paused is none',
      rows: [
        reported('wec1', { ...DONE, conditions: [exceeded('10:09:00')] }, { specHash: 'paused' }),
        reported('wec2', { ...DONE, conditions: [exceeded('10:00:00')] }),
      ],
      expected: 'Degraded',
      status: { conditions: [{ reason: 'ProgressDeadlineExceeded' }] },
    },
    {
      name: 'D11: nor is it one where no other WEC has failed: its reason is renamed',
      rows: [
        reported('wec1', { ...DONE, conditions: [exceeded('10:09:00')] }, { specHash: 'paused' }),
        reported('wec2', counts(3, [1, 3, 3])),
      ],
      expected: 'Progressing',
      status: { conditions: [{ reason: 'StaleProgressDeadlineExceeded' }] },
    },
    {
      name: 'a WEC that is paused on its own, which no status can say, does not look done',
      rows: [reported('wec1', DONE, { specHash: 'paused' }), reported('wec2', DONE)],
      expected: 'Progressing',
      status: { replicas: 3 },
    },
    {
      name: 'a WEC whose object is being deleted is not done',
      rows: [reported('wec1', DONE, { deleting: true }), reported('wec2', DONE)],
      expected: 'Progressing',
      status: { replicas: 3 },
    },
    {
      name: 'K6: a WEC that scales down and is short of its old size holds the aggregate back',
      workload: deployment(4),
      rows: [
        reported('wec1', counts(5, [5, 5, 4]), { sourceGeneration: 4 }),
        reported('wec2', DONE, { sourceGeneration: 4 }),
      ],
      expected: 'Progressing',
      status: { observedGeneration: 3, updatedReplicas: 3, availableReplicas: 3 },
    },
    {
      name: 'K6: also at the first generation, where nothing observed is 0, which is left out',
      rows: wecs(counts(5, [5, 5, 4]), DONE),
      expected: 'Progressing',
      status: { observedGeneration: undefined, availableReplicas: 3 },
    },
    {
      name: 'shortfalls larger than what the WDS wants leave nothing, not less than nothing',
      rows: [
        reported('wec1', counts(0, [0, 0, 0]), { specHash: '5' }),
        reported('wec2', DONE, { specHash: '3' }),
      ],
      expected: 'Progressing',
      status: {
        updatedReplicas: undefined,
        readyReplicas: undefined,
        availableReplicas: undefined,
      },
    },
    {
      name: 'a WDS that does not say how many replicas it wants wants one, as Kubernetes does',
      workload: deployment(1, {}),
      rows: [
        reported('wec1', counts(1, [1, 1, 1]), { specHash: 'none' }),
        reported('wec2', DONE, { specHash: '3' }),
      ],
      expected: 'Healthy',
      status: { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 },
    },
  ])('$name', ({ workload, rows, expected, status }) => {
    expect(verdict(rows, workload)).toBe(expected);
    expect(verdict([...rows].reverse(), workload)).toBe(expected);
    const aggregated = aggregate(rows, workload);
    const shown = Object.keys(status).map((key) => [key, member(aggregated, key)]);
    expect(Object.fromEntries(shown)).toMatchObject(status);
  });

  it('is suspended while the WDS object is paused, whatever the WECs say', () => {
    const paused = deployment(1, { replicas: 3, paused: true });
    expect(verdict(wecs(counts(0, [0, 0, 0]), DONE), paused)).toBe('Suspended');
  });

  it('is not known by a name that is not there', () => {
    const nameless: WorkloadObject = { ...deployment(), metadata: { generation: 1 } };
    expect(verdict(wecs({ ...DONE, conditions: [exceeded('10:00:00')] }, DONE), nameless)).toBe(
      'Degraded',
    );
    const bare = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generation: 1 } };
    expect(verdict(wecs(counts(1, [1, 1, 1])), bare)).toBe('Healthy');
  });
});

describe('the aggregated status of a Deployment', () => {
  it('is the seed\'s example for two WECs that say it (Multi-WEC Aggregated Status, "Example")', () => {
    const status = {
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        {
          type: 'Available',
          status: 'True',
          lastTransitionTime: '2025-11-01T12:34:56Z',
          reason: 'MinimumReplicasAvailable',
          message: 'Deployment has minimum availability.',
        },
      ],
    };
    expect(aggregate(wecs(status, status))).toEqual(status);
  });

  it('has no generation if no WEC reports any', () => {
    const rows = wecs({ replicas: 3, readyReplicas: 3 }, { replicas: 3, readyReplicas: 3 });
    expect(aggregate(rows, deployment(4))).toEqual({ replicas: 3, readyReplicas: 3 });
  });

  it('has the lowest counts, and none at 0', () => {
    expect(aggregate(wecs(counts(3, [3, 2, 1]), counts(3, [3, 3, 2]), DONE))).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
    });
  });

  it('has nothing that a WEC counts for itself', () => {
    const status = { ...DONE, terminatingReplicas: 0, collisionCount: 2, extra: 'x' };
    expect(aggregate(wecs(status, status))).toEqual(DONE);
  });

  it('is none if no WEC has returned a status, and one if a WEC has an empty one', () => {
    expect(aggregate([])).toBeUndefined();
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', null)])).toBeUndefined();
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', {})], deployment(3))).toEqual({});
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', {}, { sourceGeneration: 3 })])).toEqual({});
  });

  it('is the letter if it has the verdict: replicas is the lowest, whatever else a WEC lacks', () => {
    const rows = wecs(counts(3, [3, 3, 3]), counts(3, [2, 3, 3]), counts(4, [1, 3, 3]));
    expect(aggregate(rows)).toMatchObject({ replicas: 3, updatedReplicas: 1 });
    expect(verdict(rows)).toBe('Progressing');
  });

  it('is as healthy as WECs whose controllers do not say how many are ready', () => {
    const unsaid = { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
    expect(aggregate(wecs(unsaid, DONE))).toEqual({ ...unsaid, readyReplicas: 3 });
    expect(verdict(wecs(unsaid, DONE))).toBe('Healthy');
  });

  it('keeps to what API servers accept when a WEC says what none would', () => {
    expect(aggregate(wecs(counts(1, [1, 5, 9]), counts(1, [1, 4, 8])))).toMatchObject({
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
    });
    expect(aggregate(wecs({ ...DONE, readyReplicas: -1, availableReplicas: '3' }))).toEqual({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
    });
  });
});

describe('ReplicaFailure of an aggregated Deployment', () => {
  const failure = (status: string, time?: string): JsonObject =>
    condition('ReplicaFailure', [status, `Failed${status}`], time);
  const withFailure = (status: string, time?: string): JsonObject => ({
    ...DONE,
    conditions: [failure(status, time)],
  });

  it('goes by the truth table, as Argo CD does not read it', () => {
    expect(aggregate(wecs(withFailure('True'), DONE))?.['conditions']).toEqual([
      { ...failure('True'), status: 'Unknown' },
    ]);
    const rows = wecs(withFailure('False', '10:05:00'), withFailure('True', '10:00:00'));
    expect(aggregate(rows)).toMatchObject({
      conditions: [{ status: 'False', reason: 'FailedFalse' }],
    });
  });
});
