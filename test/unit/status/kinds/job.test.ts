import { describe, expect, it } from 'vitest';
import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const JOB: WorkloadObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'load', namespace: 'shop', uid: 'wds-load', generation: 1 },
  spec: { completions: 3, parallelism: 3, completionMode: 'NonIndexed', suspend: false },
};
const [TEN, ELEVEN, NOON] = [10, 11, 12].map((hour) => `2025-11-01T${hour}:00:00Z`);

function aggregate(rows: readonly PerWecRow[]): JsonObject | undefined {
  const fold = statusFold(JOB, new Map());
  return fold.finish(foldRows(fold, rows));
}

function wecs(...statuses: readonly JsonObject[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

/** A condition as `type=status`, as the Job controller writes it. */
function entry(text: string, time = TEN): JsonObject {
  const [type = '', status = ''] = text.split('=');
  const at = time ?? '';
  return { type, status, reason: `${type}Reason`, lastProbeTime: at, lastTransitionTime: at };
}

function withConditions(status: JsonObject, ...conditions: readonly JsonObject[]): JsonObject {
  return { ...status, conditions };
}

const started: JsonObject = { startTime: TEN ?? '' };
const RUNNING: JsonObject = { ...started, active: 2, ready: 1, terminating: 0 };
const COMPLETE: JsonObject = {
  ...started,
  completionTime: ELEVEN ?? '',
  succeeded: 3,
  conditions: [entry('SuccessCriteriaMet=True', ELEVEN), entry('Complete=True', ELEVEN)],
};
const FAILED: JsonObject = {
  ...started,
  failed: 2,
  conditions: [entry('FailureTarget=True'), entry('Failed=True')],
};
const SUSPENDED = withConditions({}, entry('Suspended=True'));
const RESUMED = withConditions(RUNNING, entry('Suspended=False', NOON));

function shown(status: JsonObject | undefined): readonly string[] {
  // The rule writes a list of conditions or none.
  const list = (status?.['conditions'] ?? []) as readonly JsonObject[];
  return list.map(({ type, status: truth }) => `${String(type)}=${String(truth)}`);
}

const ENDED = ['Complete=True', 'SuccessCriteriaMet=True'];
/** Conditions that only some WECs have are Unknown; Argo CD and API servers mind this one as little as none. */
const MET_BY_SOME = 'SuccessCriteriaMet=Unknown';
const BROKEN = ['Failed=True', 'FailureTarget=True'];

describe('an aggregated Job looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_job.go)', () => {
  it.each([
    {
      name: 'J1: one that still runs keeps Complete away',
      rows: wecs(COMPLETE, RUNNING),
      conditions: [MET_BY_SOME],
      verdict: 'Progressing',
    },
    {
      name: 'J2: of Complete and Failed neither is said to be True',
      rows: wecs(COMPLETE, FAILED),
      conditions: ['Complete=Unknown', 'Failed=Unknown', 'FailureTarget=Unknown', MET_BY_SOME],
      verdict: 'Degraded',
    },
    {
      name: 'J3: one that has Failed is enough, whatever the others do not say',
      rows: wecs(RUNNING, FAILED, {}),
      conditions: ['Failed=Unknown', 'FailureTarget=Unknown'],
      verdict: 'Degraded',
    },
    {
      name: 'J3: a Failed that is False is said as it is, and no more than that',
      rows: wecs(RUNNING, withConditions(RUNNING, entry('Failed=False'))),
      conditions: ['Failed=False'],
      verdict: 'Degraded',
    },
    {
      name: 'J4: a suspended one beside one that runs is not said to be suspended',
      rows: wecs(SUSPENDED, RUNNING),
      conditions: [],
      verdict: 'Progressing',
    },
    {
      name: 'J5: a resumed one beside one that runs does not look healthy',
      rows: wecs(RESUMED, RUNNING),
      conditions: [],
      verdict: 'Progressing',
    },
    {
      name: 'J9: Complete is said where every WEC has it',
      rows: wecs(COMPLETE, COMPLETE),
      conditions: ENDED,
      verdict: 'Healthy',
    },
    {
      name: 'J9: a WEC that has returned nothing keeps Complete away',
      rows: [...wecs(COMPLETE, COMPLETE), { wec: 'wec3' }],
      conditions: [MET_BY_SOME],
      verdict: 'Progressing',
    },
    {
      name: 'J9: Complete is said as False where a WEC says so',
      rows: wecs(COMPLETE, withConditions(RUNNING, entry('Complete=False'))),
      conditions: ['Complete=False', MET_BY_SOME],
      verdict: 'Healthy',
    },
    {
      name: 'J11: of Suspended True and False, True wins, though False is newer',
      rows: wecs(SUSPENDED, RESUMED),
      conditions: ['Suspended=True'],
      verdict: 'Suspended',
    },
    {
      name: 'J11: Suspended is said beside a Job that is Complete',
      rows: wecs(SUSPENDED, COMPLETE),
      conditions: ['Complete=Unknown', MET_BY_SOME, 'Suspended=True'],
      verdict: 'Suspended',
    },
    {
      name: 'a resumed one beside one that is Complete is healthy, as both are',
      rows: wecs(RESUMED, COMPLETE),
      conditions: ['Complete=Unknown', MET_BY_SOME, 'Suspended=False'],
      verdict: 'Healthy',
    },
    {
      name: 'one that is about to fail keeps Complete away',
      rows: wecs(withConditions(RUNNING, entry('FailureTarget=True')), COMPLETE),
      conditions: ['FailureTarget=Unknown', MET_BY_SOME],
      verdict: 'Progressing',
    },
    {
      name: 'that all are about to succeed is said',
      rows: wecs(
        withConditions(RUNNING, entry('SuccessCriteriaMet=True')),
        withConditions(RUNNING, entry('SuccessCriteriaMet=True')),
      ),
      conditions: ['SuccessCriteriaMet=True'],
      verdict: 'Progressing',
    },
    {
      name: 'what Kubernetes 1.30 does not say of a failure is added',
      rows: Array.from(BROKEN, (_type, index) =>
        reported(`wec${index}`, withConditions(started, entry('Failed=True'))),
      ),
      conditions: BROKEN,
      verdict: 'Degraded',
    },
    {
      name: 'what Kubernetes 1.30 does not say of a success is added in place of an Unknown',
      rows: wecs(COMPLETE, { ...COMPLETE, conditions: [entry('Complete=True')] }),
      conditions: ENDED,
      verdict: 'Healthy',
    },
    {
      name: 'a second Suspended that is True is not lost',
      rows: wecs(
        withConditions(RUNNING, entry('Suspended=False'), entry('Suspended=True')),
        COMPLETE,
      ),
      conditions: ['Complete=Unknown', MET_BY_SOME, 'Suspended=True'],
      verdict: 'Suspended',
    },
    {
      name: 'a second Failed changes nothing: any entry is a failure to Argo CD',
      rows: wecs(
        withConditions(
          started,
          entry('Failed=False'),
          entry('FailureTarget=True'),
          entry('Failed=True'),
        ),
        COMPLETE,
      ),
      conditions: ['Complete=Unknown', 'Failed=False', 'FailureTarget=Unknown', MET_BY_SOME],
      verdict: 'Degraded',
    },
    {
      name: 'a second Complete changes nothing: any entry is a success to Argo CD',
      rows: wecs(
        { ...COMPLETE, conditions: [entry('Complete=False'), entry('Complete=True')] },
        COMPLETE,
      ),
      conditions: ['Complete=False', MET_BY_SOME],
      verdict: 'Healthy',
    },
    {
      name: 'of other types the first entry counts, also where every object has such a member',
      rows: wecs(
        withConditions(RUNNING, entry('constructor=False'), entry('constructor=True')),
        withConditions(RUNNING, entry('constructor=True'), entry('=True')),
      ),
      conditions: ['constructor=False'],
      verdict: 'Progressing',
    },
    {
      name: 'one whose object is being deleted counts as one that has not started',
      rows: [...wecs(COMPLETE), reported('wec2', COMPLETE, { deleting: true })],
      conditions: [MET_BY_SOME],
      verdict: 'Progressing',
    },
  ])('$name', ({ rows, conditions, verdict }) => {
    const status = aggregate(rows);
    expect(shown(status)).toEqual(conditions);
    expect(assessArgoCd({ ...JOB, status: status ?? {} })?.status).toBe(verdict);
    expect(refusals(JOB, status ?? {})).toEqual([]);
  });
});

describe('an aggregated Job', () => {
  it('has the lowest counters, the earliest start and nothing else of Jobs that run', () => {
    const other = { startTime: ELEVEN ?? '', active: 1, succeeded: 1, failed: 1, ready: 1 };
    expect(aggregate(wecs({ ...RUNNING, succeeded: 2 }, other))).toEqual({
      startTime: TEN,
      active: 1,
      succeeded: 1,
    });
    expect(aggregate(wecs(other, RUNNING))?.['startTime']).toBe(TEN);
  });

  it('has the latest end of Jobs that are Complete', () => {
    expect(aggregate(wecs(COMPLETE, { ...COMPLETE, completionTime: NOON ?? '' }))).toMatchObject({
      startTime: TEN,
      completionTime: NOON,
      succeeded: 3,
    });
  });

  it('has the reason of the newest entry if Suspended need not change, otherwise of the WEC that is still suspended', () => {
    const idle = withConditions({}, entry('Suspended=True', NOON));
    const reasoned = { ...entry('Suspended=True'), reason: 'Older' };
    const older = withConditions({}, reasoned);
    expect(aggregate(wecs(idle, older))?.['conditions']).toEqual([entry('Suspended=True', NOON)]);
    expect(aggregate(wecs(RESUMED, older))?.['conditions']).toEqual([
      { ...reasoned, lastTransitionTime: NOON },
    ]);
  });

  it('is nothing if no WEC has returned a status', () => {
    expect(aggregate([{ wec: 'wec1' }, { wec: 'wec2' }])).toBeUndefined();
  });
});
