import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const SPECS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['OnDelete', { updateStrategy: { type: 'OnDelete' } }],
  ['RollingUpdate', { updateStrategy: { type: 'RollingUpdate' } }],
]);

function daemonSet(type = 'RollingUpdate', generation = 1): WorkloadObject {
  const metadata = { name: 'agent', namespace: 'shop', uid: 'wds-agent', generation };
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: { updateStrategy: { type } } };
}

function aggregate(rows: readonly PerWecRow[], workload = daemonSet()): JsonObject | undefined {
  const fold = statusFold(workload, SPECS);
  return fold.finish(foldRows(fold, rows));
}

function verdict(rows: readonly PerWecRow[], workload = daemonSet()): string | undefined {
  return assessArgoCd({ ...workload, status: aggregate(rows, workload) ?? {} })?.status;
}

/** As the controller writes it: three counters are left out at 0, the others are not. */
function counts(desired: number, updated = desired, available = desired): JsonObject {
  const omitted = {
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: Math.max(desired - available, 0),
  };
  const shown = Object.entries(omitted).filter(([, count]) => count !== 0);
  return {
    observedGeneration: 1,
    currentNumberScheduled: desired,
    numberMisscheduled: 0,
    desiredNumberScheduled: desired,
    numberReady: available,
    ...Object.fromEntries(shown),
  };
}

const DONE = counts(3);
const lagging: Partial<WecRow> = { sourceGeneration: 1 };

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

describe('an aggregated DaemonSet looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_daemonset.go)', () => {
  it.each([
    {
      name: 'DS1: a large WEC that lacks pods is not hidden by a small one that has all',
      rows: wecs(counts(10, 10, 7), DONE),
      expected: 'Progressing',
      status: { desiredNumberScheduled: 6, updatedNumberScheduled: 3, numberAvailable: 3 },
    },
    {
      name: 'DS1: nor one that lacks updated pods',
      rows: wecs(counts(10, 8, 10), DONE),
      expected: 'Progressing',
      status: { desiredNumberScheduled: 5, updatedNumberScheduled: 3, numberAvailable: 3 },
    },
    {
      name: 'DS2: a WEC without nodes does not hide one without available pods',
      rows: wecs(counts(5, 5, 0), counts(0)),
      expected: 'Progressing',
      status: {
        desiredNumberScheduled: 5,
        numberAvailable: undefined,
        numberUnavailable: undefined,
      },
    },
    {
      name: 'DS3: WECs with different numbers of nodes are done with what the smallest has',
      rows: wecs(counts(10), DONE),
      expected: 'Healthy',
      status: { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
    },
    {
      name: 'DS3: a WEC that has more pods than it desires does not raise what is desired',
      rows: wecs(counts(5, 7, 7), counts(6, 6, 6)),
      expected: 'Healthy',
      status: { desiredNumberScheduled: 5, updatedNumberScheduled: 6, numberAvailable: 6 },
    },
    {
      name: 'D1: absent counters are 0, not skipped',
      rows: wecs(counts(3, 3, 0), DONE),
      expected: 'Progressing',
      status: { desiredNumberScheduled: 3, numberAvailable: undefined },
    },
    {
      name: "D5: the WDS's earlier edits, which no WEC has counted, are no lag",
      workload: daemonSet('RollingUpdate', 5),
      rows: [
        reported('wec1', DONE, { sourceGeneration: 5 }),
        reported('wec2', DONE, { sourceGeneration: 5 }),
      ],
      expected: 'Healthy',
      status: { observedGeneration: 5 },
    },
    {
      name: "D6: a WEC's own numbers of generations do not hide a lag",
      workload: daemonSet('RollingUpdate', 2),
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
      status: { desiredNumberScheduled: 0, numberAvailable: undefined },
    },
    {
      name: 'a WEC whose pods are updated by hand, unlike the WDS says, is done with fewer updated',
      rows: [reported('wec1', counts(5, 1, 5), { specHash: 'OnDelete' }), reported('wec2', DONE)],
      expected: 'Healthy',
      status: { desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 3 },
    },
    {
      name: 'where pods are updated by hand, the lowest stands: no verdict hangs on what is desired',
      workload: daemonSet('OnDelete'),
      rows: wecs(counts(5, 1, 5), DONE),
      expected: 'Healthy',
      status: { desiredNumberScheduled: 3, updatedNumberScheduled: 1 },
    },
    {
      name: 'a WEC whose object is being deleted is not done',
      rows: [reported('wec1', DONE, { deleting: true }), reported('wec2', DONE)],
      expected: 'Progressing',
      status: { desiredNumberScheduled: 3 },
    },
    {
      name: 'K6: where pods are updated by hand, no counter shows a WEC that rolls on its own',
      workload: daemonSet('OnDelete', 4),
      rows: [
        reported('wec1', counts(5, 1, 5), { specHash: 'RollingUpdate', sourceGeneration: 4 }),
        reported('wec2', DONE, { sourceGeneration: 4 }),
      ],
      expected: 'Progressing',
      status: { observedGeneration: 3, desiredNumberScheduled: 3 },
    },
  ])('$name', ({ workload, rows, expected, status }) => {
    expect(verdict(rows, workload)).toBe(expected);
    expect(verdict([...rows].reverse(), workload)).toBe(expected);
    const aggregated = aggregate(rows, workload);
    const shown = Object.keys(status).map((key) => [key, member(aggregated, key)]);
    expect(Object.fromEntries(shown)).toEqual(status);
  });
});

describe('the aggregated status of a DaemonSet', () => {
  it('has the lowest counters, and nothing that Argo CD does not read', () => {
    const own = { collisionCount: 2, extra: 'x', numberMisscheduled: 1 };
    const rows = wecs({ ...counts(4, 4, 3), ...own, numberReady: 4 }, counts(4, 4, 2));
    expect(aggregate(rows)).toEqual({
      observedGeneration: 1,
      currentNumberScheduled: 4,
      numberMisscheduled: 0,
      desiredNumberScheduled: 4,
      numberReady: 2,
      updatedNumberScheduled: 4,
      numberAvailable: 2,
      numberUnavailable: 1,
    });
  });

  it('is none if no WEC has returned a status, and what API servers show if a WEC has just been made', () => {
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', null)])).toBeUndefined();
    const made = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    };
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', made)])).toEqual(made);
  });
});
