import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { type JsonObject, type JsonValue, member, stringifyJson } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const partitioned = (partition: number): JsonObject => ({
  type: 'RollingUpdate',
  rollingUpdate: { partition },
});
/** As it may stand in a file; API servers add a partition of 0. */
const BY_REVISION: JsonObject = { type: 'RollingUpdate' };
const ON_DELETE: JsonObject = { type: 'OnDelete' };

function specOf(replicas: number, updateStrategy = partitioned(0)): JsonObject {
  return { replicas, updateStrategy };
}

function statefulSet(spec: JsonObject = specOf(3), generation = 1): WorkloadObject {
  const metadata = { name: 'web', namespace: 'shop', uid: 'wds-web', generation };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec };
}

const OWN_SPECS = [specOf(2), specOf(3), specOf(5)].concat(
  [1, 2, 3].map((partition) => specOf(3, partitioned(partition))),
  [specOf(3, ON_DELETE), specOf(3, BY_REVISION)],
);
const SPECS: ReadonlyMap<string, JsonValue> = new Map(
  OWN_SPECS.map((spec) => [stringifyJson(spec), spec]),
);

/** A WEC that is known to have a spec of its own. */
function owning(spec: JsonObject, more: Partial<WecRow> = {}): Partial<WecRow> {
  return { specHash: stringifyJson(spec), ...more };
}

function aggregate(rows: readonly PerWecRow[], workload = statefulSet()): JsonObject | undefined {
  const fold = statusFold(workload, SPECS);
  return fold.finish(foldRows(fold, rows));
}

function verdict(rows: readonly PerWecRow[], workload = statefulSet()): string | undefined {
  return assessArgoCd({ ...workload, status: aggregate(rows, workload) ?? {} })?.status;
}

/** The counters as the controller writes them: those at 0 are left out, but for two. */
function counts(
  replicas: number,
  [updated, ready, available = ready]: readonly [number, number, number?] = [replicas, replicas],
): JsonObject {
  const omitted = { readyReplicas: ready, currentReplicas: replicas, updatedReplicas: updated };
  const shown = Object.entries(omitted).filter(([, count]) => count !== 0);
  return {
    observedGeneration: 1,
    replicas,
    ...Object.fromEntries(shown),
    availableReplicas: available,
  };
}

function revisions(current: string, update = current): JsonObject {
  return { currentRevision: `web-${current}`, updateRevision: `web-${update}` };
}

const DONE = { ...counts(3), ...revisions('a') };
const lagging: Partial<WecRow> = { sourceGeneration: 1 };

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

describe('an aggregated StatefulSet looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_statefulset.go)', () => {
  it.each([
    {
      name: 'D1: absent counters are 0, not skipped',
      rows: wecs(counts(3, [3, 0]), DONE),
      expected: 'Progressing',
      status: { replicas: 3, updatedReplicas: 3, readyReplicas: undefined },
    },
    {
      name: "D5: the WDS's earlier edits, which no WEC has counted, are no lag",
      workload: statefulSet(specOf(3), 5),
      rows: [
        reported('wec1', DONE, { sourceGeneration: 5 }),
        reported('wec2', DONE, { sourceGeneration: 5 }),
      ],
      expected: 'Healthy',
      status: { observedGeneration: 5 },
    },
    {
      name: 'D6: generations that an autoscaler in the WEC has counted do not hide a lag',
      workload: statefulSet(specOf(3), 2),
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
      status: { replicas: 0, readyReplicas: undefined, ...revisions('a') },
    },
    {
      name: 'D8: a WEC that is known to want fewer replicas is done with fewer',
      rows: [reported('wec1', counts(2), owning(specOf(2))), reported('wec2', DONE)],
      expected: 'Healthy',
      status: { replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 2 },
    },
    {
      name: 'D8b: a WEC that is known to want more is not done with as many as the WDS wants',
      rows: [
        reported('wec1', counts(4, [3, 3, 2]), owning(specOf(5))),
        reported('wec2', DONE, owning(specOf(3))),
      ],
      expected: 'Progressing',
      status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1, availableReplicas: 2 },
    },
    {
      name: 'D8: a WEC that is known to keep fewer behind a partition is not done with as many',
      workload: statefulSet(specOf(3, partitioned(2))),
      rows: [
        reported('wec1', counts(3, [1, 3]), owning(specOf(3, partitioned(1)))),
        reported('wec2', counts(3, [1, 3])),
      ],
      expected: 'Progressing',
      status: { updatedReplicas: 1 },
    },
    {
      name: 'D8: a WEC that is known to keep more behind a partition is done with fewer',
      workload: statefulSet(specOf(3, partitioned(1))),
      rows: [
        reported('wec1', counts(3, [1, 3]), owning(specOf(3, partitioned(2)))),
        reported('wec2', counts(3, [2, 3])),
      ],
      expected: 'Healthy',
      status: { updatedReplicas: 2 },
    },
    {
      name: 'D8: a WEC whose pods are updated by hand is done with none updated',
      rows: [
        reported('wec1', counts(3, [0, 3]), owning(specOf(3, ON_DELETE))),
        reported('wec2', DONE),
      ],
      expected: 'Healthy',
      status: { updatedReplicas: 3 },
    },
    {
      name: 'D8: but no more pods are updated than there are, so the API server takes it',
      rows: [
        reported('wec1', counts(1, [1, 1]), owning(specOf(3, ON_DELETE))),
        reported('wec2', DONE),
      ],
      expected: 'Progressing',
      status: { replicas: 1, updatedReplicas: 1 },
    },
    {
      name: 'D9: no more replicas are available than are ready, so the API server takes it',
      rows: wecs({ ...counts(3, [3, 1, 0]), availableReplicas: 0 }, DONE),
      expected: 'Progressing',
      status: { replicas: 3, readyReplicas: 1, availableReplicas: 0 },
    },
    {
      name: 'S1: WECs between revisions are on their way, though each calls them otherwise',
      workload: statefulSet(specOf(3, BY_REVISION)),
      rows: wecs({ ...DONE, ...revisions('a', 'b') }, { ...DONE, ...revisions('c', 'd') }),
      expected: 'Progressing',
      status: revisions('a', 'b'),
    },
    {
      name: 'S1: one of them that has arrived does not hide the other',
      workload: statefulSet(specOf(3, BY_REVISION)),
      rows: wecs({ ...DONE, ...revisions('b') }, { ...DONE, ...revisions('c', 'd') }),
      expected: 'Progressing',
      status: revisions('c', 'd'),
    },
    {
      name: 'S1: all have arrived, each at what it calls the revision',
      workload: statefulSet(specOf(3, BY_REVISION)),
      rows: wecs({ ...DONE, ...revisions('d') }, { ...DONE, ...revisions('b') }),
      expected: 'Healthy',
      status: revisions('d'),
    },
    {
      name: 'a WEC that is healthy between revisions by its own strategy does not make all wait',
      workload: statefulSet(specOf(3, BY_REVISION)),
      rows: [
        reported(
          'wec1',
          { ...counts(3, [0, 3]), ...revisions('a', 'b') },
          owning(specOf(3, ON_DELETE)),
        ),
        reported('wec2', { ...DONE, ...revisions('c') }),
      ],
      expected: 'Healthy',
      status: revisions('c'),
    },
    {
      name: 'nor where no other WEC has a revision to show',
      workload: statefulSet(specOf(3, BY_REVISION)),
      rows: [
        reported('wec1', { ...DONE, ...revisions('a', 'b') }, owning(specOf(3, partitioned(3)))),
        reported('wec2', counts(3)),
      ],
      expected: 'Healthy',
      status: { currentRevision: undefined, updateRevision: undefined },
    },
    {
      name: 'nor where the strategy has settings but no type, as it may stand in a file',
      workload: statefulSet(specOf(3, { rollingUpdate: { partition: 0 } })),
      rows: [
        reported('wec1', { ...DONE, ...revisions('a', 'b') }, owning(specOf(3, ON_DELETE))),
        reported('wec2', { ...DONE, ...revisions('c') }),
      ],
      expected: 'Healthy',
      status: revisions('c'),
    },
    {
      name: 'where pods are updated by hand, the revisions that they are between show all the same',
      workload: statefulSet(specOf(3, ON_DELETE)),
      rows: wecs({ ...counts(3, [1, 3]), ...revisions('a', 'b') }, { ...DONE, ...revisions('b') }),
      expected: 'Healthy',
      status: { updatedReplicas: 1, ...revisions('a', 'b') },
    },
    {
      name: 'a partitioned rollout is done when every WEC has its part, and shows both revisions',
      workload: statefulSet(specOf(3, partitioned(2))),
      rows: wecs({ ...counts(3, [1, 3]), ...revisions('a', 'b') }, { ...DONE, ...revisions('b') }),
      expected: 'Healthy',
      status: { updatedReplicas: 1, ...revisions('a', 'b') },
    },
    {
      name: 'a partitioned rollout is not done while one WEC lacks its part',
      workload: statefulSet(specOf(3, partitioned(2))),
      rows: wecs({ ...counts(3, [0, 3]), ...revisions('a', 'b') }, { ...DONE, ...revisions('b') }),
      expected: 'Progressing',
      status: { updatedReplicas: undefined },
    },
    {
      name: 'a WEC whose object is being deleted is not done',
      rows: [reported('wec1', DONE, { deleting: true }), reported('wec2', DONE)],
      expected: 'Progressing',
      status: { replicas: 3 },
    },
    {
      name: 'K6: a partition as high as the number of replicas cannot show that a WEC lacks updates',
      workload: statefulSet(specOf(3, partitioned(3)), 4),
      rows: [
        reported(
          'wec1',
          counts(3, [1, 3]),
          owning(specOf(3, partitioned(1)), { sourceGeneration: 4 }),
        ),
        reported('wec2', counts(3, [0, 3]), { sourceGeneration: 4 }),
      ],
      expected: 'Progressing',
      status: { observedGeneration: 3 },
    },
  ])('$name', ({ workload, rows, expected, status }) => {
    expect(verdict(rows, workload)).toBe(expected);
    expect(verdict([...rows].reverse(), workload)).toBe(expected);
    const aggregated = aggregate(rows, workload);
    const shown = Object.keys(status).map((key) => [key, member(aggregated, key)]);
    expect(Object.fromEntries(shown)).toEqual(status);
  });
});

describe('the aggregated status of a StatefulSet', () => {
  it('has the lowest counters, a pair of revisions, and nothing that Argo CD does not read', () => {
    const own = { collisionCount: 2, extra: 'x', ...revisions('a') };
    const rows = wecs(
      { ...counts(3, [2, 3, 2]), ...own },
      { ...counts(4, [4, 3, 3]), ...own, currentReplicas: 1 },
    );
    expect(aggregate(rows)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 2,
      ...revisions('a'),
    });
  });

  it('is none if no WEC has returned a status, and what API servers show if a WEC has just been made', () => {
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', null)])).toBeUndefined();
    const made = { replicas: 0, availableReplicas: 0 };
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', made)])).toEqual(made);
  });

  it('keeps to what API servers accept when a WEC says what none would', () => {
    const odd = { ...counts(1, [7, 5, 9]), currentReplicas: 4 };
    expect(aggregate(wecs(odd, odd), statefulSet(specOf(1)))).toMatchObject({
      replicas: 7,
      readyReplicas: 5,
      availableReplicas: 5,
      updatedReplicas: 7,
    });
  });
});
