import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { condition, reported } from '#test/fixtures/wec-rows.ts';

const SPECS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['0', { replicas: 0 }],
  ['2', { replicas: 2 }],
  ['3', { replicas: 3 }],
  ['5', { replicas: 5 }],
]);

function replicaSet(generation = 1, spec: JsonObject = { replicas: 3 }): WorkloadObject {
  const metadata = { name: 'web', namespace: 'shop', uid: 'wds-web', generation };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec };
}

function aggregate(rows: readonly PerWecRow[], workload = replicaSet()): JsonObject | undefined {
  const fold = statusFold(workload, SPECS);
  return fold.finish(foldRows(fold, rows));
}

function verdict(rows: readonly PerWecRow[], workload = replicaSet()) {
  return assessArgoCd({ ...workload, status: aggregate(rows, workload) ?? {} });
}

/** As the controller writes it: counters at 0 are left out, `replicas` is not. */
function counts(replicas: number, ready = replicas, available = ready): JsonObject {
  const omitted = {
    fullyLabeledReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: available,
  };
  const shown = Object.entries(omitted).filter(([, count]) => count !== 0);
  return { replicas, observedGeneration: 1, ...Object.fromEntries(shown) };
}

const DONE = counts(3);
const failure = (status: string, time?: string): JsonObject =>
  condition('ReplicaFailure', [status, `Failed${status}`], time);
const failing = (status: string, time?: string): JsonObject => ({
  ...DONE,
  conditions: [failure(status, time)],
});
const lagging: Partial<WecRow> = { sourceGeneration: 1 };
const current: Partial<WecRow> = { sourceGeneration: 2 };

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

describe('an aggregated ReplicaSet looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_replicaset.go)', () => {
  it.each([
    {
      name: 'D1: absent counters are 0, not skipped',
      rows: wecs(counts(3, 0), DONE),
      expected: 'Progressing',
      status: { replicas: 3, readyReplicas: undefined, availableReplicas: undefined },
    },
    {
      name: "D5: the WDS's earlier edits, which no WEC has counted, are no lag",
      workload: replicaSet(5),
      rows: [
        reported('wec1', DONE, { sourceGeneration: 5 }),
        reported('wec2', DONE, { sourceGeneration: 5 }),
      ],
      expected: 'Healthy',
      status: { observedGeneration: 5 },
    },
    {
      name: 'D6: generations that an autoscaler in the WEC has counted do not hide a lag',
      workload: replicaSet(2),
      rows: [
        reported('wec1', { ...DONE, observedGeneration: 7 }, { ...lagging, generation: 7 }),
        reported('wec2', { ...DONE, observedGeneration: 7 }, { ...lagging, generation: 7 }),
      ],
      expected: 'Progressing',
      status: { observedGeneration: 1 },
    },
    {
      name: 'D7: one reporter of three is not a healthy singleton',
      rows: [reported('wec1', DONE), { wec: 'wec2' }, reported('wec3', null)],
      expected: 'Progressing',
      status: { replicas: 0, availableReplicas: undefined },
    },
    {
      name: 'D8: a WEC that is known to want fewer replicas is done with fewer',
      rows: [reported('wec1', counts(2), { specHash: '2' }), reported('wec2', DONE)],
      expected: 'Healthy',
      status: { replicas: 3, fullyLabeledReplicas: 2, readyReplicas: 3, availableReplicas: 3 },
    },
    {
      name: 'D8b: a WEC that is known to want more is not done with as many as the WDS wants',
      rows: [
        reported('wec1', counts(4, 4, 3), { specHash: '5' }),
        reported('wec2', DONE, { specHash: '3' }),
      ],
      expected: 'Progressing',
      status: { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 1 },
    },
    {
      name: 'D8: a shortfall larger than what the WDS wants leaves nothing, not less',
      rows: [reported('wec1', counts(0), { specHash: '5' }), reported('wec2', DONE)],
      expected: 'Progressing',
      status: { replicas: 0, availableReplicas: undefined, observedGeneration: 1 },
    },
    {
      name: 'D9: no more replicas are available than are ready, so the API server takes it',
      rows: wecs(counts(3, 1, 0), DONE),
      expected: 'Progressing',
      status: { replicas: 3, readyReplicas: 1, availableReplicas: undefined },
    },
    {
      name: 'D10: a failure of a current WEC is not hidden by a lagging one',
      workload: replicaSet(2),
      rows: [reported('wec1', failing('True'), current), reported('wec2', DONE, lagging)],
      expected: 'Degraded',
      status: { observedGeneration: 2 },
    },
    {
      name: "D11: a failure of the WEC's previous spec is none",
      workload: replicaSet(2),
      rows: [reported('wec1', failing('True'), lagging), reported('wec2', DONE, current)],
      expected: 'Progressing',
      status: { observedGeneration: 1, conditions: [{ status: 'Unknown' }] },
    },
    {
      name: 'R1: a failure in one WEC is one, though the others have no such entry',
      rows: wecs(failing('True'), DONE, DONE),
      expected: 'Degraded',
      status: { conditions: [failure('True')] },
    },
    {
      name: 'R2: a failure in one WEC is one, though another says False',
      rows: wecs(failing('True'), failing('False')),
      expected: 'Degraded',
      status: { conditions: [{ status: 'True', reason: 'FailedTrue' }] },
    },
    {
      name: 'R3: whichever entry is newer or comes first, the reason is that of the failure',
      rows: wecs(failing('False', '10:05:00'), failing('True', '10:00:00')),
      expected: 'Degraded',
      status: {
        conditions: [
          {
            status: 'True',
            reason: 'FailedTrue',
            message: 'FailedTrue.',
            lastTransitionTime: '2025-11-01T10:05:00Z',
          },
        ],
      },
    },
    {
      name: 'a failure that no WEC has any more is none',
      rows: wecs(failing('False'), DONE),
      expected: 'Healthy',
      status: { conditions: [{ status: 'False' }] },
    },
    {
      name: 'a WEC whose object is being deleted is not done',
      rows: [reported('wec1', DONE, { deleting: true }), reported('wec2', DONE)],
      expected: 'Progressing',
      status: { replicas: 3 },
    },
    {
      name: 'K6: a WEC that lacks pods holds back an aggregate of which none are wanted',
      workload: replicaSet(4, { replicas: 0 }),
      rows: [
        reported('wec1', counts(1), { sourceGeneration: 4, specHash: '2' }),
        reported('wec2', counts(0), { sourceGeneration: 4, specHash: '0' }),
      ],
      expected: 'Progressing',
      status: { observedGeneration: 3, replicas: 0, readyReplicas: undefined },
    },
  ])('$name', ({ workload, rows, expected, status }) => {
    expect(verdict(rows, workload)?.status).toBe(expected);
    expect(verdict([...rows].reverse(), workload)?.status).toBe(expected);
    const aggregated = aggregate(rows, workload);
    const shown = Object.keys(status).map((key) => [key, member(aggregated, key)]);
    expect(Object.fromEntries(shown)).toMatchObject(status);
  });

  it("says what the failing WEC's quota said", () => {
    const quota = { ...failure('True'), message: 'exceeded quota: small' };
    expect(verdict(wecs(DONE, { ...counts(2), conditions: [quota] }))).toEqual({
      status: 'Degraded',
      message: 'exceeded quota: small',
    });
  });
});

describe('the aggregated status of a ReplicaSet', () => {
  it('has the lowest counters, and nothing that Argo CD does not read', () => {
    const own = { terminatingReplicas: 1, extra: 'x' };
    expect(aggregate(wecs({ ...counts(4, 3, 2), ...own }, { ...counts(3, 3, 3), ...own }))).toEqual(
      {
        replicas: 3,
        fullyLabeledReplicas: 3,
        readyReplicas: 3,
        availableReplicas: 2,
        observedGeneration: 1,
      },
    );
  });

  it('has the lowest counters also while all WECs still have more than is desired', () => {
    expect(aggregate(wecs(counts(5), counts(4)))).toEqual(counts(4));
  });

  it('is none if no WEC has returned a status, and what API servers show if a WEC has just been made', () => {
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', null)])).toBeUndefined();
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', { replicas: 0 })])).toEqual({
      replicas: 0,
    });
  });

  it('keeps to what API servers accept when a WEC says what none would', () => {
    const odd = {
      replicas: 1,
      fullyLabeledReplicas: 7,
      readyReplicas: 5,
      availableReplicas: 9,
      observedGeneration: 1,
    };
    expect(aggregate(wecs(odd, odd))).toEqual({
      replicas: 9,
      fullyLabeledReplicas: 7,
      readyReplicas: 9,
      availableReplicas: 9,
      observedGeneration: 1,
    });
  });
});
