import { describe, expect, it } from 'vitest';
import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { conditionsStay } from '#shared/core/status/messages.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';

const CREATED = '2025-11-01T09:00:00Z';
const TEN = '2025-11-01T10:00:00Z';
const ELEVEN = '2025-11-01T11:00:00Z';
const NOON = '2025-11-01T12:00:00Z';

function job(spec: JsonObject = {}): JsonObject {
  const metadata = { name: 'load', creationTimestamp: CREATED };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec };
}

/** What is written; it is always something that the API server takes. */
function written(desired: JsonObject, stored: JsonObject, spec: JsonObject = {}) {
  const object = { ...job(spec), status: stored };
  const result = writableStatus(object, desired, stored);
  expect(refusals(object, result.status)).toEqual([]);
  return result;
}

function entry(type: string, status = 'True', time = ELEVEN): JsonObject {
  return { type, status, reason: `${type}Reason`, lastTransitionTime: time };
}

const SUCCESS = [entry('SuccessCriteriaMet'), entry('Complete')];
const FAILURE = [entry('FailureTarget'), entry('Failed')];
const RUNNING: JsonObject = { startTime: TEN, active: 2, ready: 1 };
const COMPLETE: JsonObject = {
  startTime: TEN,
  completionTime: ELEVEN,
  succeeded: 3,
  conditions: SUCCESS,
};
const FAILED: JsonObject = { startTime: TEN, failed: 2, conditions: FAILURE };

function problem(...types: readonly string[]): string {
  return conditionsStay(types.join(', '));
}

const STAYS_COMPLETE = problem('Complete=True', 'SuccessCriteriaMet=True');
const STAYS_FAILED = problem('Failed=True', 'FailureTarget=True');

describe('a Job that is stored as finished', () => {
  it('stays Complete when a WEC joins that still runs', () => {
    const joined = { startTime: CREATED, active: 1, ready: 1, failed: 1 };
    expect(written(joined, COMPLETE)).toEqual({
      status: {
        startTime: TEN,
        completionTime: ELEVEN,
        ready: 0,
        failed: 1,
        succeeded: 3,
        conditions: [entry('Complete'), entry('SuccessCriteriaMet')],
      },
      problem: STAYS_COMPLETE,
    });
  });

  it('stays Complete when a WEC joins that has failed, and looks Degraded to Argo CD all the same', () => {
    const { status, problem: found } = written(FAILED, COMPLETE);
    expect(status).toMatchObject({
      completionTime: ELEVEN,
      conditions: [entry('Failed', 'Unknown'), entry('Complete'), entry('SuccessCriteriaMet')],
    });
    expect(found).toBe(STAYS_COMPLETE);
    expect(assessArgoCd({ ...job(), status })?.status).toBe('Degraded');
  });

  it('stays Failed when the WEC that failed leaves', () => {
    expect(written(COMPLETE, FAILED)).toEqual({
      status: {
        startTime: TEN,
        succeeded: 3,
        failed: 2,
        conditions: [entry('Failed'), entry('FailureTarget')],
      },
      problem: STAYS_FAILED,
    });
  });

  it('keeps exactly what must stay when it is cleared', () => {
    const extra = {
      terminating: 0,
      ready: 0,
      conditions: [...SUCCESS, entry('Suspended', 'False')],
    };
    expect(written({}, { ...COMPLETE, ...extra })).toEqual({
      status: { ...COMPLETE, conditions: [entry('Complete'), entry('SuccessCriteriaMet')] },
      problem: STAYS_COMPLETE,
    });
  });

  it('is what is desired if that has finished the same way, without a problem', () => {
    const desired = { ...COMPLETE, succeeded: 4, ready: 0, terminating: 0 };
    expect(writableStatus(job(), desired, COMPLETE).status).toBe(desired);
    expect(written(desired, COMPLETE)).not.toHaveProperty('problem');
  });

  it.each([COMPLETE, FAILED])(
    'keeps the condition that was added for a WEC of Kubernetes 1.30, and reports no problem',
    (finished) => {
      const [last] = Array.isArray(finished['conditions']) ? finished['conditions'].slice(-1) : [];
      const desired = { ...finished, conditions: [last] };
      const first = writableStatus(job(), desired, {});
      expect(first).not.toHaveProperty('problem');
      expect(writableStatus(job(), desired, first.status)).toEqual(first);
    },
  );

  it.each([
    { type: 'SuccessCriteriaMet', other: FAILED, kept: [entry('Failed', 'Unknown')] },
    { type: 'FailureTarget', other: COMPLETE, kept: [] },
  ])('does not end otherwise than $type announced', ({ type, other, kept }) => {
    const stored = { ...RUNNING, conditions: [entry(type)] };
    const { status, problem: found } = written(other, stored);
    expect(status['conditions']).toEqual([...kept, entry(type)]);
    expect(found).toBe(problem(`${type}=True`));
  });

  it('replaces an entry that is no longer True by the stored one', () => {
    const desired = { ...RUNNING, conditions: [entry('Complete', 'False'), entry('Suspended')] };
    expect(written(desired, COMPLETE).status['conditions']).toEqual([
      entry('Suspended'),
      entry('Complete'),
      entry('SuccessCriteriaMet'),
    ]);
  });
});

describe('a Job that finishes', () => {
  it.each([
    { what: 'Complete', status: COMPLETE, last: 'Complete', all: SUCCESS },
    { what: 'Failed', status: FAILED, last: 'Failed', all: FAILURE },
  ])('as $what in Kubernetes 1.30 gets the condition before', ({ status, last, all }) => {
    const desired = { ...status, conditions: [entry(last)] };
    const { conditions } = written(desired, RUNNING).status;
    expect(new Set(conditions as JsonObject[])).toEqual(
      new Set(all.map(({ type }) => ({ ...entry(last), type }))),
    );
  });

  it('fails if both are desired', () => {
    const desired = { ...COMPLETE, conditions: [...SUCCESS, ...FAILURE] };
    expect(written(desired, RUNNING)).toEqual({
      status: { startTime: TEN, succeeded: 3, conditions: FAILURE },
    });
  });

  it('loses the pods that are still counted', () => {
    const pods = {
      active: 1,
      ready: 1,
      terminating: 2,
      uncountedTerminatedPods: { failed: ['uid-1'] },
    };
    expect(written({ ...FAILED, ...pods }, RUNNING)).toEqual({
      status: { ...FAILED, ready: 0, terminating: 0 },
    });
  });

  it('may keep pods that existed when it had finished (Kubernetes 1.30)', () => {
    const pods = {
      active: 1,
      ready: 1,
      terminating: 2,
      uncountedTerminatedPods: { succeeded: ['uid-1'] },
    };
    const stored = { ...FAILED, ...pods };
    expect(writableStatus(job(), stored, stored).status).toBe(stored);
    expect(written({ ...stored, active: 2 }, stored).status).not.toHaveProperty('active');
  });

  it.each([
    { name: 'what stands', spec: { suspend: true }, stored: RUNNING, start: TEN },
    {
      name: 'its end',
      desired: { conditions: SUCCESS, completionTime: NOON },
      start: NOON,
    },
    { name: 'its creation', start: CREATED },
  ])('and does not say when it started has started at $name', (row) => {
    const { spec = {}, stored = {}, desired = { conditions: FAILURE }, start } = row;
    expect(written(desired, stored, spec).status['startTime']).toBe(start);
  });

  it('has started when it failed, if nothing else is known', () => {
    const object = { ...job(), metadata: { name: 'load' } };
    const { status } = writableStatus(object, { conditions: FAILURE }, undefined);
    expect(status['startTime']).toBe(ELEVEN);
  });

  it.each([
    { what: 'suspended, with nothing to do', spec: { suspend: true, completions: 0 }, stored: {} },
    { what: 'as it stood (Kubernetes 1.30)', spec: {}, stored: { conditions: FAILURE } },
  ])('needs no start if it is $what', ({ spec, stored }) => {
    const desired = { conditions: FAILURE };
    expect(written(desired, stored, spec)).toEqual({ status: desired });
  });

  it.each([
    { name: 'when it says so', conditions: SUCCESS, end: ELEVEN },
    {
      name: 'when it started, where it does not say so',
      conditions: SUCCESS.map(({ type }) => ({ type: type ?? '', status: 'True' })),
      end: TEN,
    },
  ])('without a completionTime has ended $name', ({ conditions, end }) => {
    expect(written({ startTime: TEN, conditions }, {}).status['completionTime']).toBe(end);
  });

  it('needs no completionTime if it was stored without one (Kubernetes 1.30)', () => {
    const stored = { startTime: TEN, conditions: [entry('Complete')] };
    expect(written(stored, stored)).toEqual({ status: stored });
  });
});

describe('the conditions of a Job that Kubernetes 1.30 has finished', () => {
  it('do not say that its criteria are met: that can no longer be set', () => {
    const stored = { ...COMPLETE, conditions: [entry('Complete')] };
    expect(written(COMPLETE, stored)).toEqual({ status: stored });
  });

  it('have its FailureTarget only if its failed indexes change', () => {
    const stored = { ...FAILED, conditions: [entry('Failed')] };
    expect(written(stored, stored).status).toEqual(stored);
    const spec = { completionMode: 'Indexed', completions: 3, backoffLimitPerIndex: 1 };
    const changed = { ...stored, failedIndexes: '1' };
    expect(written(changed, stored, spec).status['conditions']).toHaveLength(2);
  });
});

describe('the times of a Job', () => {
  it.each([
    { name: 'stays', spec: {}, desired: { startTime: ELEVEN }, status: { startTime: TEN } },
    { name: 'stays when cleared', spec: {}, desired: {}, status: { startTime: TEN } },
    {
      name: 'may change while it is suspended',
      spec: { suspend: true },
      desired: { startTime: ELEVEN },
      status: { startTime: ELEVEN },
    },
    {
      name: 'may go while it is suspended',
      spec: { suspend: true },
      desired: {},
      status: {},
    },
  ])('have a start that $name', ({ spec, desired, status }) => {
    expect(written(desired, { startTime: TEN }, spec)).toEqual({ status });
  });

  it('have an end that stays', () => {
    expect(written({ ...COMPLETE, completionTime: NOON }, COMPLETE)).toEqual({ status: COMPLETE });
  });

  it('have no end before it is Complete', () => {
    expect(written({ ...RUNNING, completionTime: NOON }, {})).toEqual({ status: RUNNING });
  });

  it('may have an end that was there before it was Complete (Kubernetes 1.30)', () => {
    const stored = { ...RUNNING, completionTime: NOON };
    expect(written(stored, stored)).toEqual({ status: stored });
  });

  it.each([
    {
      name: 'the end moves to the start that stays',
      stored: { startTime: NOON },
      spec: {},
      desired: COMPLETE,
      times: [NOON, NOON],
    },
    {
      name: 'the start moves to the end that stays',
      stored: COMPLETE,
      spec: { suspend: true },
      desired: { ...COMPLETE, startTime: NOON },
      times: [ELEVEN, ELEVEN],
    },
    {
      name: 'nothing moves where both stood so (Kubernetes 1.30)',
      stored: { ...COMPLETE, startTime: NOON },
      spec: {},
      desired: COMPLETE,
      times: [NOON, ELEVEN],
    },
  ])('have no end before the start: $name', ({ stored, spec, desired, times }) => {
    const { startTime, completionTime } = written(desired, stored, spec).status;
    expect([startTime, completionTime]).toEqual(times);
  });
});

describe('the counters of a Job', () => {
  it.each([
    { spec: {}, status: { failed: 2, succeeded: 3 } },
    {
      spec: { completionMode: 'Indexed', completions: 2, parallelism: 3 },
      status: { failed: 2, succeeded: 3 },
    },
    {
      spec: { completionMode: 'Indexed', completions: 2, parallelism: 2 },
      status: { failed: 2, succeeded: 1 },
    },
  ])('never decrease, except those of an Indexed Job that is made smaller: $spec', (row) => {
    const { spec, status } = row;
    expect(written({ failed: 1, succeeded: 1 }, { failed: 2, succeeded: 3 }, spec)).toEqual({
      status,
    });
  });

  it('stay when they are cleared, and are absent at 0', () => {
    expect(written({}, { failed: 2, active: 1, ready: 1 })).toEqual({ status: { failed: 2 } });
    expect(written({ succeeded: 0 }, {})).toEqual({ status: { succeeded: 0 } });
  });

  it('have no more ready pods than active ones, unless they stood so', () => {
    expect(written({ active: 1, ready: 2 }, {})).toEqual({ status: { active: 1, ready: 1 } });
    const stored = { active: 1, ready: 2 };
    expect(written(stored, stored)).toEqual({ status: stored });
    expect(written({ active: 2, ready: 3 }, { active: 1, ready: 3 })).toEqual({
      status: { active: 2, ready: 2 },
    });
  });
});

describe('the indexes of a Job', () => {
  const indexed: JsonObject = {
    completionMode: 'Indexed',
    completions: 4,
    backoffLimitPerIndex: 1,
  };

  it.each([
    { completedIndexes: '0', failedIndexes: '1-3' },
    { completedIndexes: '0,2', failedIndexes: '1,3' },
    { completedIndexes: '', failedIndexes: '' },
  ])('are as desired if the Job has them: $completedIndexes, $failedIndexes', (desired) => {
    expect(written(desired, {}, indexed)).toEqual({ status: desired });
  });

  it.each([
    ['0-4'],
    ['7'],
    ['1,0'],
    ['2-1'],
    ['1-1'],
    ['0,'],
    ['a'],
    ['0-1-2'],
    ['0-2,1'],
    ['0-1,1'],
  ])('are left out if the Job cannot have them: %s', (text) => {
    const desired = { completedIndexes: text, failedIndexes: text };
    expect(written(desired, {}, indexed)).toEqual({ status: {} });
  });

  it('that failed are left out where they have succeeded, but not if both stood so', () => {
    const desired = { completedIndexes: '0-1', failedIndexes: '1' };
    expect(written(desired, {}, indexed)).toEqual({ status: { completedIndexes: '0-1' } });
    expect(written(desired, desired, indexed)).toEqual({ status: desired });
  });

  it.each([
    { what: 'not Indexed', spec: { completions: 4 }, status: { completedIndexes: '' } },
    { what: 'without completions', spec: { completionMode: 'Indexed' }, status: {} },
  ])('are left out of a Job that is $what', ({ spec, status }) => {
    const { completedIndexes = '0' } = status as JsonObject;
    expect(written({ completedIndexes, failedIndexes: '1' }, {}, spec)).toEqual({ status });
  });

  it('may stay beyond the end of a Job that is made smaller', () => {
    const stored = { completedIndexes: '0-3', failedIndexes: '5' };
    const spec = { ...indexed, completions: 2 };
    expect(written(stored, stored, spec)).toEqual({ status: stored });
  });
});
