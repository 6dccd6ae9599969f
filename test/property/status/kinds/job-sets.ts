import fc from 'fast-check';
import { isArray, type JsonObject, member } from '#shared/core/json.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { ENDING } from './served-specs.ts';

const minute = fc.integer({ min: 0, max: 5 });
const count = fc.nat({ max: 4 });

function timeAt(hour: number, minutes: number): string {
  return `2025-11-01T${hour}:0${minutes}:00Z`;
}

function sortedTimes(statuses: readonly JsonObject[], field: string): readonly string[] {
  return statuses
    .map((status) => status[field])
    .filter((time) => typeof time === 'string')
    .sort();
}

/** The proposal is silent about times; a Complete Job has both. */
function literalTimes(statuses: readonly JsonObject[], { conditions }: JsonObject): JsonObject {
  const [startTime] = sortedTimes(statuses, 'startTime');
  const completionTime = sortedTimes(statuses, 'completionTime').at(-1);
  const isComplete =
    isArray(conditions) &&
    conditions.some(
      (one) => member(one, 'type') === 'Complete' && member(one, 'status') === 'True',
    );
  return {
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined || !isComplete ? {} : { completionTime }),
  };
}

/** What a WEC's Job does. */
const PHASES = [
  'new',
  'running',
  'suspended',
  'resumed',
  'succeeding',
  'failing',
  'Complete',
  'Complete, of Kubernetes 1.30',
  'Complete, was suspended',
  'Failed',
  'Failed, of Kubernetes 1.30',
  'Failed, was suspended',
  'not Complete',
  'not Failed',
  'suspended, said twice',
  'Complete, said twice',
  'Failed, said twice',
  'a condition without a type',
] as const;
type Phase = (typeof PHASES)[number];

/** The conditions of a phase, as type=status, in the order in which a controller writes them. */
const CONDITIONS: Readonly<Record<Phase, readonly string[]>> = {
  new: [],
  running: [],
  suspended: ['Suspended=True'],
  resumed: ['Suspended=False'],
  succeeding: ['SuccessCriteriaMet=True'],
  failing: ['FailureTarget=True'],
  Complete: ['SuccessCriteriaMet=True', 'Complete=True'],
  'Complete, of Kubernetes 1.30': ['Complete=True'],
  'Complete, was suspended': ['Suspended=False', 'SuccessCriteriaMet=True', 'Complete=True'],
  Failed: ['FailureTarget=True', 'Failed=True'],
  'Failed, of Kubernetes 1.30': ['Failed=True'],
  'Failed, was suspended': ['Suspended=False', 'FailureTarget=True', 'Failed=True'],
  'not Complete': ['Complete=False'],
  'not Failed': ['Failed=False'],
  // API servers take a second entry of a type, and one without a type or a reason.
  'suspended, said twice': ['Suspended=False', 'Suspended=True'],
  'Complete, said twice': ['Complete=False', 'SuccessCriteriaMet=True', 'Complete=True'],
  'Failed, said twice': ['Failed=False', 'FailureTarget=True', 'Failed=True'],
  'a condition without a type': ['=True', 'constructor=True'],
};

const NOT_STARTED: readonly Phase[] = ['new', 'suspended', 'suspended, said twice'];

interface Facts {
  readonly phase: Phase;
  readonly started: number;
  readonly ended: number;
  readonly changed: number;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
}

function conditionOf(text: string, { changed, ended }: Facts): JsonObject {
  const [type = '', status = ''] = text.split('=');
  const time = status === 'True' && type !== 'Suspended' ? timeAt(11, ended) : timeAt(10, changed);
  return {
    type,
    status,
    ...(changed === 0 ? {} : { reason: `${type}Reason` }),
    message: `${text} at ${time}`,
    lastProbeTime: time,
    lastTransitionTime: time,
  };
}

function statusOf(facts: Facts): JsonObject {
  const { phase, started, ended, active, succeeded, failed } = facts;
  if (phase === 'new') return {};
  const conditions = CONDITIONS[phase];
  const isFinished = conditions.some((one) => one === 'Complete=True' || one === 'Failed=True');
  const running = isFinished || NOT_STARTED.includes(phase) ? 0 : active;
  return {
    ...(conditions.length === 0
      ? {}
      : { conditions: conditions.map((c) => conditionOf(c, facts)) }),
    ...(NOT_STARTED.includes(phase) ? {} : { startTime: timeAt(10, started) }),
    ...(conditions.includes('Complete=True') ? { completionTime: timeAt(11, ended) } : {}),
    ...(running === 0 ? {} : { active: running }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    terminating: 0,
    uncountedTerminatedPods: {},
    ready: Math.min(running, 1),
  };
}

/** Half of the WECs are done, so that sets in which all or all but one are come up. */
const phases = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Phase>('Complete', 'Complete, was suspended') },
  { weight: 2, arbitrary: fc.constantFrom<Phase>('suspended', 'resumed') },
  { weight: 2, arbitrary: fc.constantFrom(...PHASES) },
);

/** Jobs in every phase, some of WECs whose Kubernetes does not know the newer conditions. */
export const JOB: KindSets = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  served: { spec: ENDING },
  readsGeneration: false,
  hasGeneration: true,
  literal: { numbers: ['active', 'succeeded', 'failed'], more: literalTimes },
  specs: fc.record({
    completions: fc.integer({ min: 1, max: 3 }),
    parallelism: fc.integer({ min: 1, max: 3 }),
    completionMode: fc.constantFrom('NonIndexed', 'Indexed'),
    suspend: fc.boolean(),
  }),
  differingSpec: (spec) =>
    fc
      .record({ parallelism: fc.integer({ min: 1, max: 3 }), suspend: fc.boolean() })
      .map((own) => ({ ...spec, ...own })),
  statuses: () =>
    fc
      .record<Facts>({
        phase: phases,
        started: minute,
        ended: minute,
        changed: minute,
        active: count,
        succeeded: count,
        failed: count,
      })
      .map(statusOf),
};
