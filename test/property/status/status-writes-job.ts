import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { type StatusWrites, some } from './status-write-kind.ts';

const count = fc.nat({ max: 3 });
const time = fc.integer({ min: 0, max: 4 }).map((minute) => `2025-11-01T10:0${minute}:00Z`);

/** Whether a Job's conditions are those of Kubernetes 1.30, which knows no conditions before the last one. */
type Ending = readonly string[];
const ENDINGS: readonly Ending[] = [
  [],
  ['SuccessCriteriaMet'],
  ['SuccessCriteriaMet', 'Complete'],
  ['FailureTarget'],
  ['FailureTarget', 'Failed'],
];
const ENDINGS_OF_1_30: readonly Ending[] = [['Complete'], ['Failed']];

function jobConditions(endings: readonly Ending[]): fc.Arbitrary<readonly JsonObject[]> {
  return fc
    .record({
      ending: fc.constantFrom(...endings),
      suspended: fc.constantFrom(undefined, 'True', 'False'),
      denied: fc.constantFrom(
        undefined,
        'Failed',
        'Complete',
        'FailureTarget',
        'SuccessCriteriaMet',
      ),
      at: time,
    })
    .map(({ ending, suspended, denied, at }) => {
      const entry = (type: string, status: string): JsonObject => ({
        type,
        status,
        lastProbeTime: at,
        lastTransitionTime: at,
        reason: type,
        message: '',
      });
      return [
        ...(suspended === undefined ? [] : [entry('Suspended', suspended)]),
        ...ending.map((type) => entry(type, 'True')),
        ...(denied === undefined || ending.includes(denied) ? [] : [entry(denied, 'False')]),
      ];
    });
}

const indexes = fc.constantFrom('', '0', '1', '0-1', '0,2', '1-3', '2', '3-4');
const uids = fc.subarray(['a', 'b', 'c'], { maxLength: 2 });
const jobCounts = {
  active: count,
  ready: count,
  terminating: count,
  failed: count,
  succeeded: count,
  startTime: time,
};

function has(conditions: readonly JsonObject[], type: string): boolean {
  return conditions.some((entry) => entry['type'] === type && entry['status'] === 'True');
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[key, value]],
    ),
  );
}

interface JobFacts {
  readonly conditions: readonly JsonObject[];
  readonly counts: JsonObject;
  readonly started: string;
  readonly ended: string;
  readonly uncounted: JsonObject;
  /** What Kubernetes 1.30 would not have minded. */
  readonly loose: JsonObject;
  readonly lacking: readonly string[];
}

function latest(a: string, b: string): string {
  return a < b ? b : a;
}

function finishedJob(facts: JobFacts): JsonObject {
  const { conditions, counts, started, ended } = facts;
  const isComplete = has(conditions, 'Complete');
  const isLoose = !has(conditions, isComplete ? 'SuccessCriteriaMet' : 'FailureTarget');
  const strict = present({
    ...counts,
    conditions,
    active: undefined,
    ready: 0,
    terminating: 0,
    startTime: started,
    completionTime: isComplete ? latest(started, ended) : undefined,
  });
  if (!isLoose) return strict;
  const kept = Object.entries(strict).filter(([key]) => !facts.lacking.includes(key));
  return { ...Object.fromEntries(kept), ...facts.loose };
}

function runningJob({ conditions, counts, uncounted }: JobFacts): JsonObject {
  const { active = 0, ready = 0 } = counts;
  return present({
    ...counts,
    conditions: conditions.length === 0 ? undefined : conditions,
    ready: Math.min(Number(ready), Number(active)),
    uncountedTerminatedPods: uncounted,
  });
}

/** The indexes that a Job of this spec has; some of them that it had before it was made smaller. */
function jobIndexes(spec: JsonObject): fc.Arbitrary<JsonObject> {
  const isIndexed = spec['completionMode'] === 'Indexed';
  const isFailing = isIndexed && spec['backoffLimitPerIndex'] !== undefined;
  return some({
    ...(isIndexed ? { completedIndexes: indexes } : {}),
    ...(isFailing ? { failedIndexes: indexes } : {}),
  });
}

/** A Job's status that one API server or another holds. */
function jobStatus(spec: JsonObject, endings: readonly Ending[]): fc.Arbitrary<JsonObject> {
  return fc
    .record({
      facts: fc.record<JobFacts>({
        conditions: jobConditions(endings),
        counts: some(jobCounts),
        started: time,
        ended: time,
        uncounted: fc.record({ succeeded: uids }),
        loose: some({ active: count, ready: count, terminating: count }),
        lacking: fc.subarray(['startTime', 'completionTime']),
      }),
      listed: jobIndexes(spec),
    })
    .map(({ facts, listed }) => {
      const { conditions } = facts;
      const isFinished = has(conditions, 'Complete') || has(conditions, 'Failed');
      return { ...(isFinished ? finishedJob(facts) : runningJob(facts)), ...listed };
    });
}

/** Jobs in every phase, also of WECs with another spec, and as Kubernetes 1.30 left them. */
export const JOB_WRITES: StatusWrites = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  specs: fc
    .record({
      completions: fc.nat({ max: 4 }),
      parallelism: fc.integer({ min: 1, max: 4 }),
      completionMode: fc.constantFrom('NonIndexed', 'Indexed'),
      suspend: fc.boolean(),
      perIndex: fc.boolean(),
    })
    .map(({ perIndex, ...spec }) =>
      perIndex && spec.completionMode === 'Indexed' ? { ...spec, backoffLimitPerIndex: 1 } : spec,
    ),
  standing: (spec) => fc.oneof(fc.constant({}), jobStatus(spec, [...ENDINGS, ...ENDINGS_OF_1_30])),
  desired: (spec) =>
    fc.oneof(
      fc.constant({}),
      ...[spec, { completionMode: 'Indexed', backoffLimitPerIndex: 1 }].map((one) =>
        jobStatus(one, [...ENDINGS, ...ENDINGS, ...ENDINGS_OF_1_30]),
      ),
    ),
};
