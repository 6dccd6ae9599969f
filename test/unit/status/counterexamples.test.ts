import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import { condition, counts, deployment, reported, unreported } from '#test/fixtures/wec-rows.ts';

const DONE = counts(3, [3, 3, 3]);

function ofKind(apiVersion: string, kind: string, spec: JsonObject = {}): WorkloadObject {
  return { apiVersion, kind, metadata: { name: 'web', generation: 2 }, spec };
}

function aggregate(workload: WorkloadObject, rows: readonly PerWecRow[]): JsonObject {
  const fold = statusFold(workload, new Map());
  return fold.finish(foldRows(fold, rows)) ?? {};
}

function wecs(...statuses: readonly JsonObject[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

const BUDGET = ofKind('policy/v1', 'PodDisruptionBudget');
const DATABASE = ofKind('example.com/v1', 'Database');

// What a rule says of its kind stands in the tests of that kind (./kinds); here is what holds for all.
describe('the rules that hold for every kind (docs/rules.md, section 2)', () => {
  it.each([
    {
      name: 'K1: a WEC that has returned nothing is 0 in a minimum and Unknown in a condition',
      source: 'docs/architecture.md, section 9.3',
      workload: DATABASE,
      rows: [
        ...wecs({ nodes: 3, conditions: [condition('Ready', ['True', 'Up'])] }),
        { wec: 'wec2' },
      ],
      expected: { nodes: 0, conditions: [{ type: 'Ready', ...unreported('wec2') }] },
      verdict: undefined,
    },
    {
      name: 'K1: nor is it a current one, so the others do not look done',
      source: 'docs/architecture.md, section 9.3',
      workload: deployment(2),
      rows: [reported('wec1', DONE, { sourceGeneration: 2 }), { wec: 'wec2' }],
      expected: { observedGeneration: 1 },
      verdict: 'Progressing',
    },
    {
      name: "K2: generations are the WDS's, also in conditions, and the lowest counts",
      source: 'docs/architecture.md, section 9.12',
      workload: DATABASE,
      rows: [7, 3].map((observed, index) =>
        reported(
          `wec${index}`,
          {
            observedGeneration: observed,
            conditions: [{ type: 'Ready', status: 'True', observedGeneration: observed }],
          },
          { generation: observed, sourceGeneration: 2 - index },
        ),
      ),
      expected: { observedGeneration: 1, conditions: [{ observedGeneration: 1 }] },
      verdict: undefined,
    },
    {
      name: 'K2: a failure on the current generation is not hidden by a WEC that lags',
      source: 'Argo CD, health_deployment.go: looks at the generation before the deadline',
      workload: deployment(2),
      rows: [
        reported(
          'wec1',
          {
            ...DONE,
            conditions: [condition('Progressing', ['False', 'ProgressDeadlineExceeded'])],
          },
          { sourceGeneration: 2 },
        ),
        reported('wec2', DONE, { sourceGeneration: 1 }),
      ],
      expected: { observedGeneration: 2 },
      verdict: 'Degraded',
    },
    {
      name: 'K3: an absent entry is Unknown, of a failure type it does not count',
      source: 'Multi-WEC Aggregated Status, "Truth Value"; docs/rules.md, "Failure types"',
      workload: DATABASE,
      rows: wecs(
        {
          conditions: [
            condition('Ready', ['True', 'Up']),
            condition('Stalled', ['True', 'NoDisk']),
          ],
        },
        { conditions: [] },
      ),
      expected: {
        conditions: [
          { type: 'Ready', ...unreported('wec2') },
          { type: 'Stalled', status: 'True' },
        ],
      },
      verdict: undefined,
    },
    {
      name: 'K4: the entry that decides the verdict gives the reason, whatever is newer',
      source: 'Argo CD, PodDisruptionBudget/health.lua: reads status and reason together',
      workload: BUDGET,
      rows: wecs(
        { conditions: [condition('DisruptionAllowed', ['False', 'SyncFailed'], '10:00:00')] },
        { conditions: [condition('DisruptionAllowed', ['False', 'InsufficientPods'], '10:05:00')] },
      ),
      expected: {
        conditions: [{ reason: 'SyncFailed', lastTransitionTime: '2025-11-01T10:05:00Z' }],
      },
      verdict: 'Degraded',
    },
    {
      name: 'K5: a phase is the worst one, not left out where WECs differ',
      source: 'Argo CD, health_pvc.go: no phase is Unknown',
      workload: ofKind('v1', 'PersistentVolumeClaim'),
      rows: wecs({ phase: 'Bound' }, { phase: 'Lost' }, { phase: 'Pending' }),
      expected: { phase: 'Lost' },
      verdict: 'Degraded',
    },
    {
      name: 'K6: an aggregate that would look better than the worst WEC is held back',
      source: 'docs/architecture.md, section 9.4',
      workload: deployment(2),
      rows: [
        reported('wec1', counts(5, [5, 5, 4]), { sourceGeneration: 2 }),
        reported('wec2', DONE, { sourceGeneration: 2 }),
      ],
      expected: { observedGeneration: 1, availableReplicas: 3 },
      verdict: 'Progressing',
    },
    {
      name: "K7: of a kind whose status is content, the WDS's generation is not compared",
      source: 'KubeStellar, issue 2077; Argo CD, health_argo.go: reads the phase alone',
      workload: ofKind('argoproj.io/v1alpha1', 'Workflow'),
      rows: wecs({ phase: 'Succeeded' }, { phase: 'Succeeded' }),
      expected: { phase: 'Succeeded' },
      verdict: 'Healthy',
    },
  ])('$name ($source)', ({ workload, rows, expected, verdict }) => {
    const status = aggregate(workload, rows);
    expect(status).toMatchObject(expected);
    expect(assessArgoCd({ ...workload, status })?.status).toBe(verdict);
    expect(aggregate(workload, [...rows].reverse())).toEqual(status);
  });

  it('K7: what is written once is not written again', () => {
    const metadata = { name: 'load', generation: 1 };
    const job: WorkloadObject = { ...ofKind('batch/v1', 'Job', { completions: 3 }), metadata };
    const ended = (status: string) => [condition('Complete', [status, 'CompletionsReached'])];
    const stood: JsonObject = {
      startTime: '2025-11-01T09:00:00Z',
      completionTime: '2025-11-01T10:00:00Z',
      succeeded: 3,
      conditions: ended('True'),
    };
    const rows = wecs({ active: 1, succeeded: 2 }, { active: 2, succeeded: 1 });
    const desired = aggregate(job, rows);
    const first = writableStatus(job, desired, stood);
    expect(first.status).not.toEqual(desired);
    expect(member(first.status, 'succeeded')).toBe(3);
    expect(writableStatus(job, desired, first.status)).toEqual(first);
  });
});
