import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const BUDGET: WorkloadObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'shop', uid: 'wds-web', generation: 1 },
  spec: { minAvailable: 2 },
};

function aggregate(rows: readonly PerWecRow[]): JsonObject {
  const fold = statusFold(BUDGET, new Map());
  const status = fold.finish(foldRows(fold, rows));
  expect(fold.finish(foldRows(fold, [...rows].reverse()))).toEqual(status);
  return status ?? {};
}

function allowed(status: string, reason: string, time = '10:00:00'): JsonObject {
  const lastTransitionTime = `2025-11-01T${time}Z`;
  return { type: 'DisruptionAllowed', status, reason, message: '', lastTransitionTime };
}

function wecs(...entries: readonly JsonObject[]): PerWecRow[] {
  return entries.map((entry, index) => reported(`wec${index + 1}`, { conditions: [entry] }));
}

/** WECs whose whole lists are given; API servers hold none of those that other tests do not have. */
function lists(...all: readonly (readonly JsonValue[])[]): PerWecRow[] {
  return all.map((conditions, index) => reported(`wec${index + 1}`, { conditions }));
}

const TEN = '2025-11-01T10:00:00Z';

interface Case {
  readonly name: string;
  readonly rows: readonly PerWecRow[];
  readonly expected: ArgoCdStatus;
  readonly conditions: readonly JsonObject[] | undefined;
}

describe('an aggregated PodDisruptionBudget looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, policy/PodDisruptionBudget/health.lua)', () => {
  it.each<Case>([
    {
      name: 'B1: two healthy WECs are not made a failure of',
      rows: wecs(
        allowed('False', 'InsufficientPods', '10:00:00'),
        allowed('True', 'SufficientPods', '10:05:00'),
      ),
      expected: 'Healthy',
      conditions: [allowed('False', 'InsufficientPods', '10:05:00')],
    },
    {
      name: 'B2: a failure is not hidden by a newer entry',
      rows: wecs(
        allowed('False', 'SyncFailed', '10:00:00'),
        allowed('False', 'InsufficientPods', '10:05:00'),
      ),
      expected: 'Degraded',
      conditions: [allowed('False', 'SyncFailed', '10:05:00')],
    },
    {
      name: 'the newest of several failures tells its reason',
      rows: wecs(
        allowed('False', 'SyncFailed', '10:00:00'),
        allowed('False', 'NotFound', '10:05:00'),
      ),
      expected: 'Degraded',
      conditions: [allowed('False', 'NotFound', '10:05:00')],
    },
    {
      name: 'of Unknown and True the newest gives the reason, as neither is a failure',
      rows: wecs(allowed('Unknown', 'AwaitingPods'), allowed('True', 'SufficientPods', '10:05:00')),
      expected: 'Healthy',
      conditions: [allowed('Unknown', 'SufficientPods', '10:05:00')],
    },
    {
      name: 'while a WEC has no condition there is none, as any would be healthy',
      rows: [...wecs(allowed('True', 'SufficientPods')), reported('wec2', { expectedPods: 0 })],
      expected: 'Progressing',
      conditions: undefined,
    },
    {
      name: 'a WEC that has returned nothing has no condition',
      rows: [...wecs(allowed('False', 'InsufficientPods')), { wec: 'wec2' }],
      expected: 'Progressing',
      conditions: undefined,
    },
    {
      name: 'a failure is told while a WEC has no condition',
      rows: [...wecs(allowed('False', 'SyncFailed')), { wec: 'wec2' }],
      expected: 'Degraded',
      conditions: [allowed('False', 'SyncFailed')],
    },
    {
      name: 'of several entries of a type a failure counts, which Argo CD finds wherever it stands',
      rows: lists(
        [allowed('True', 'SufficientPods'), allowed('False', 'SyncFailed')],
        [allowed('True', 'SufficientPods', '10:05:00')],
      ),
      expected: 'Degraded',
      conditions: [allowed('False', 'SyncFailed', '10:05:00')],
    },
    {
      name: 'an entry without a type counts as it does in Argo CD',
      rows: lists(
        [allowed('True', 'SufficientPods')],
        [{ ...allowed('False', 'SyncFailed'), type: '' }],
      ),
      expected: 'Degraded',
      conditions: [allowed('False', 'SyncFailed')],
    },
    {
      name: 'one without a reason makes it Unknown, whatever failure another WEC has',
      rows: lists(
        [allowed('False', 'SyncFailed', '10:05:00')],
        [{ ...allowed('True', ''), type: 'example.com/Audited', reason: null }],
      ),
      expected: 'Unknown',
      conditions: [{ ...allowed('Unknown', ''), type: 'example.com/Audited', reason: null }],
    },
    {
      name: 'what is no entry makes it Unknown, too',
      rows: lists([allowed('True', 'SufficientPods')], ['True']),
      expected: 'Unknown',
      conditions: [{ type: 'DisruptionAllowed', status: 'Unknown', lastTransitionTime: TEN }],
    },
    {
      name: 'what comes behind a failure is not read',
      rows: lists(
        [allowed('False', 'SyncFailed'), { ...allowed('False', 'NotFound'), reason: null }],
        [allowed('True', 'SufficientPods')],
      ),
      expected: 'Degraded',
      conditions: [allowed('False', 'SyncFailed')],
    },
  ])('$name', ({ rows, expected, conditions }) => {
    const status = aggregate(rows);
    expect(status['conditions']).toEqual(conditions);
    for (const version of ['2.14', '3'] as const)
      expect(assessArgoCd({ ...BUDGET, status }, version)?.status).toBe(expected);
  });
});

describe('the counters of an aggregated PodDisruptionBudget', () => {
  const counters = (current: number, desired: number, more: JsonObject = {}): JsonObject => ({
    currentHealthy: current,
    desiredHealthy: desired,
    disruptionsAllowed: Math.max(current - desired, 0),
    expectedPods: 3,
    ...more,
  });

  it.each([
    ['are the lowest', [counters(3, 2), counters(4, 2)], counters(3, 2)],
    [
      'are so one by one, as Argo CD reads none of them',
      [counters(1, 2), counters(3, 1)],
      { ...counters(1, 1), disruptionsAllowed: 0 },
    ],
    [
      'are 0 where a WEC has none, and shown',
      [counters(3, 2), {}],
      counters(0, 0, { expectedPods: 0 }),
    ],
    [
      'stand beside the lowest generation, in the numbers of the WDS',
      [counters(3, 2, { observedGeneration: 1 }), counters(3, 2, { observedGeneration: 1 })],
      counters(3, 2, { observedGeneration: 1 }),
    ],
    [
      'do not include the pods of one cluster',
      [counters(3, 2, { disruptedPods: { 'web-1': '2025-11-01T10:00:00Z' } }), counters(3, 2)],
      counters(3, 2),
    ],
  ])('%s', (_name, statuses, expected) => {
    const rows = statuses.map((status, index) => reported(`wec${index + 1}`, status));
    expect(aggregate(rows)).toEqual(expected);
  });
});
