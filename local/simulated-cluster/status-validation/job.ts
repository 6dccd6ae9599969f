import { isDeepStrictEqual } from 'node:util';
import { isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { int, isSet, map, notNegative, objects, type StatusUpdate, str } from './status-update.ts';

function holds(status: JsonObject, type: string): boolean {
  return objects(status['conditions']).some(
    (entry) => entry['type'] === type && entry['status'] === 'True',
  );
}

function isFinished(status: JsonObject): boolean {
  return holds(status, 'Complete') || holds(status, 'Failed');
}

/** Milliseconds since the epoch, or undefined if the pointer is nil. */
function timeOf(value: JsonValue | undefined): number | undefined {
  return isSet(value) ? Date.parse(str(value)) : undefined;
}

function uids(status: JsonObject): readonly JsonValue[] {
  const { succeeded, failed } = map(status['uncountedTerminatedPods']);
  return [succeeded, failed].flatMap((list) => (isArray(list) ? list : []));
}

/** First and last index of each interval, or undefined if they cannot be read. */
function intervals(text: string, completions: number) {
  if (text === '') return [];
  return text.split(',').map((interval) => {
    const limits = interval.split('-');
    const numbers = limits.map(Number);
    const [first = 0, last = first] = numbers;
    const isRead =
      limits.length <= 2 &&
      limits.every((limit) => /^\d+$/.test(limit)) &&
      numbers.every((number) => number < completions) &&
      (limits.length === 1 || first < last);
    return isRead ? ([first, last] as const) : undefined;
  });
}

function isWellFormed(text: string, completions: number): boolean {
  const read = intervals(text, completions);
  return read.every((interval, index) => {
    if (interval === undefined) return false;
    const before = index === 0 ? undefined : read[index - 1];
    return before === undefined || before[1] < interval[0];
  });
}

function overlap(a: string, b: string, completions: number): boolean {
  const others = intervals(b, completions);
  return intervals(a, completions).some((one) =>
    others.some(
      (other) =>
        one !== undefined && other !== undefined && one[0] <= other[1] && other[0] <= one[1],
    ),
  );
}

/** What the API server compares to decide which rules apply (getStatusValidationOptions). */
function changesOf({ old, next }: StatusUpdate) {
  const differs = (field: string): boolean => (old[field] ?? null) !== (next[field] ?? null);
  const flips = (type: string): boolean => holds(old, type) !== holds(next, type);
  return {
    finished: isFinished(old) !== isFinished(next),
    complete: flips('Complete'),
    failed: flips('Failed'),
    failureTarget: flips('FailureTarget'),
    successCriteriaMet: flips('SuccessCriteriaMet'),
    active: int(old['active']) !== int(next['active']),
    ready: differs('ready'),
    terminating: differs('terminating'),
    uncounted: !isDeepStrictEqual(uids(old), uids(next)),
    completedIndexes: str(old['completedIndexes']) !== str(next['completedIndexes']),
    failedIndexes: differs('failedIndexes'),
    startTime: timeOf(old['startTime']) !== timeOf(next['startTime']),
    completionTime: timeOf(old['completionTime']) !== timeOf(next['completionTime']),
  };
}

type Changes = ReturnType<typeof changesOf>;
type Rules = readonly (readonly [field: string, refused: boolean, why: string])[];

const field = 'conditions';

function conditionRules({ next }: StatusUpdate, changed: Changes): Rules {
  const has = (type: string): boolean => holds(next, type);
  const [complete, failed] = [has('Complete'), has('Failed')];
  const [met, target] = [has('SuccessCriteriaMet'), has('FailureTarget')];
  const eitherChanged = changed.complete || changed.failed;
  return [
    [field, eitherChanged && complete && failed, 'cannot set Complete and Failed'],
    [
      field,
      (changed.complete || changed.failureTarget) && complete && target,
      'cannot set Complete and FailureTarget',
    ],
    [
      field,
      (changed.failed || changed.failedIndexes) && failed && !target,
      'cannot set Failed without FailureTarget',
    ],
    [
      field,
      (changed.complete || changed.successCriteriaMet) && complete && !met,
      'cannot set Complete without SuccessCriteriaMet',
    ],
  ];
}

/** The rules that apply to every change. */
function standingRules({ spec, old, next }: StatusUpdate): Rules {
  const [complete, failed] = [holds(next, 'Complete'), holds(next, 'Failed')];
  const [met, target] = [holds(next, 'SuccessCriteriaMet'), holds(next, 'FailureTarget')];
  const lost = (type: string): boolean => holds(old, type) && !holds(next, type);
  const becomesMet = met && !holds(old, 'SuccessCriteriaMet');
  return [
    [field, met && failed, 'cannot set SuccessCriteriaMet and Failed'],
    [field, met && target, 'cannot set SuccessCriteriaMet and FailureTarget'],
    [
      field,
      isSet(spec['successPolicy']) && complete && !met,
      'cannot set Complete with a successPolicy unless SuccessCriteriaMet',
    ],
    [field, lost('Failed'), 'cannot disable Failed'],
    [field, lost('Complete'), 'cannot disable Complete'],
    [field, lost('FailureTarget'), 'cannot disable FailureTarget'],
    [field, lost('SuccessCriteriaMet'), 'cannot disable SuccessCriteriaMet'],
    [
      field,
      holds(old, 'Complete') && becomesMet,
      'cannot set SuccessCriteriaMet of a Job that is Complete',
    ],
  ];
}

function timeRules({ spec, old, next }: StatusUpdate, changed: Changes): Rules {
  const [started, ended] = [timeOf(next['startTime']), timeOf(next['completionTime'])];
  const wasStarted = timeOf(old['startTime']);
  const complete = holds(next, 'Complete');
  const endMatters = changed.complete || changed.completionTime;
  const isSuspended = spec['suspend'] === true;
  const needsNoStart = isSuspended && spec['completions'] === 0;
  return [
    ['completionTime', endMatters && !complete && ended !== undefined, 'not Complete'],
    ['completionTime', endMatters && complete && ended === undefined, 'required when Complete'],
    [
      'completionTime',
      (changed.startTime || changed.completionTime) &&
        started !== undefined &&
        ended !== undefined &&
        ended < started,
      'before startTime',
    ],
    [
      'completionTime',
      ended !== undefined && timeOf(old['completionTime']) !== undefined && changed.completionTime,
      'immutable',
    ],
    [
      'startTime',
      (changed.finished || changed.startTime) &&
        !needsNoStart &&
        isFinished(next) &&
        started === undefined,
      'required when finished',
    ],
    // Kubernetes 1.35 and 1.36 accept it while the condition Suspended changes from True to False. Older versions do
    // not.
    [
      'startTime',
      wasStarted !== undefined && changed.startTime && !isSuspended,
      'immutable while not suspended',
    ],
  ];
}

function countRules({ spec, old, next }: StatusUpdate, changed: Changes): Rules {
  const finished = isFinished(next);
  const [ready, active] = [int(next['ready']), int(next['active'])];
  const mayShrink =
    spec['completionMode'] === 'Indexed' && spec['completions'] === spec['parallelism'];
  const less = (field: string): boolean => int(next[field]) < int(old[field]);
  return [
    [
      'active',
      (changed.finished || changed.active) && finished && active > 0,
      'more than 0 when finished',
    ],
    [
      'terminating',
      (changed.finished || changed.terminating) && finished && int(next['terminating']) > 0,
      'more than 0 when finished',
    ],
    [
      'uncountedTerminatedPods',
      (changed.finished || changed.uncounted) && finished && uids(next).length > 0,
      'not empty when finished',
    ],
    ['ready', (changed.ready || changed.active) && ready > active, 'more than active'],
    ['failed', less('failed'), 'cannot decrease'],
    ['succeeded', !mayShrink && less('succeeded'), 'cannot decrease'],
    ['uncountedTerminatedPods', new Set(uids(next)).size < uids(next).length, 'duplicate'],
    ['uncountedTerminatedPods', uids(next).includes(''), 'must not be empty'],
  ];
}

function indexRules({ spec, next }: StatusUpdate, changed: Changes): Rules {
  const [completed, failed] = [str(next['completedIndexes']), str(next['failedIndexes'])];
  const completions = spec['completions'];
  const isCounted = typeof completions === 'number';
  const most = int(completions);
  const perIndex = isSet(spec['backoffLimitPerIndex']);
  return [
    [
      'completedIndexes',
      changed.completedIndexes && isCounted && !isWellFormed(completed, most),
      'cannot be parsed',
    ],
    [
      'completedIndexes',
      changed.completedIndexes && completed !== '' && spec['completionMode'] !== 'Indexed',
      'not an Indexed Job',
    ],
    [
      'failedIndexes',
      changed.failedIndexes && isCounted && perIndex && !isWellFormed(failed, most),
      'cannot be parsed',
    ],
    [
      'failedIndexes',
      changed.failedIndexes && !perIndex && isSet(next['failedIndexes']),
      'no backoffLimitPerIndex',
    ],
    [
      'failedIndexes',
      (changed.failedIndexes || changed.completedIndexes) &&
        isCounted &&
        overlap(completed, failed, most),
      'overlaps completedIndexes',
    ],
  ];
}

/**
 * pkg/apis/batch/validation, ValidateJobUpdateStatus, with the options of pkg/registry/batch/job, both with the gate
 * JobManagedBy (on from 1.32).
 */
export function validateJob(update: StatusUpdate): void {
  notNegative(update, 'active', 'succeeded', 'failed', 'ready', 'terminating');
  const changed = changesOf(update);
  for (const rules of [conditionRules, standingRules, timeRules, countRules, indexRules])
    for (const [name, refused, why] of rules(update, changed))
      if (refused) update.refuse(name, why);
}
