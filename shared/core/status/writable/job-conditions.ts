import type { JsonObject } from '#shared/core/json.ts';
import { conditionsOf, isTrueIn, withPreconditions } from '#shared/core/status/job-conditions.ts';
import type { StatusWrite } from './status-write.ts';

const SUCCESS = ['Complete', 'SuccessCriteriaMet'] as const;
const FAILURE = ['Failed', 'FailureTarget'] as const;
/** Types that stay True once they are True. */
const LASTING: readonly string[] = [...FAILURE, ...SUCCESS];

/** The conditions of a Job that can be written. */
export interface WritableConditions {
  readonly conditions: readonly JsonObject[];
  /** Types that stay True although they are not desired, or although the desired status ends the Job otherwise. */
  readonly kept: readonly string[];
}

function anyTrue(list: readonly JsonObject[], types: readonly string[]): boolean {
  return types.some((type) => isTrueIn(list, type));
}

function isTrueOf(entry: JsonObject, types: readonly string[]): boolean {
  return entry['status'] === 'True' && types.some((type) => type === entry['type']);
}

/**
 * The desired entries that agree with the end of the Job: success if success is stored, otherwise failure if failure is
 * stored or desired. A failure that comes too late is still written, but not as True, because Argo CD only looks for
 * the entry.
 */
function fitting(
  desired: readonly JsonObject[],
  stored: readonly JsonObject[],
): readonly JsonObject[] {
  if (!anyTrue(stored, SUCCESS)) {
    const fails = anyTrue(stored, FAILURE) || anyTrue(desired, FAILURE);
    return fails ? desired.filter((entry) => !isTrueOf(entry, SUCCESS)) : desired;
  }
  const hasMet = isTrueIn(stored, 'SuccessCriteriaMet');
  return desired
    .filter((entry) => !isTrueOf(entry, ['FailureTarget']))
    .filter((entry) => hasMet || !isTrueOf(entry, ['SuccessCriteriaMet']))
    .map((entry) => (isTrueOf(entry, ['Failed']) ? { ...entry, status: 'Unknown' } : entry));
}

/** The stored entries that are True and must stay True: the first of each type. */
function lasting(stored: readonly JsonObject[]): readonly JsonObject[] {
  return LASTING.flatMap((type): readonly JsonObject[] => {
    const entry = stored.find((one) => isTrueOf(one, [type]));
    return entry === undefined ? [] : [entry];
  });
}

/**
 * Makes the desired conditions writable over the stored ones: `Complete`, `Failed`, `SuccessCriteriaMet` and
 * `FailureTarget` stay True, success and failure exclude each other, and a condition that needs another one has it. A
 * Job that is stored as finished without the needed condition (Kubernetes 1.30) may stay so. A Complete Job must stay
 * so.
 *
 * @param demandsTarget whether a failed Job needs its `FailureTarget` again
 */
export function writableConditions(write: StatusWrite, demandsTarget: boolean): WritableConditions {
  const desired = conditionsOf(write.desired);
  const stored = conditionsOf(write.stored);
  const chosen = fitting(desired, stored);
  const missing = lasting(stored).filter(({ type }) => !isTrueIn(chosen, String(type)));
  const types = missing.map(({ type }) => String(type));
  const demanded = withPreconditions(chosen, () => false);
  const rest = chosen.filter(({ type }) => !types.includes(String(type)));
  const list = [...rest, ...missing];
  const isExempt = (finished: string): boolean =>
    isTrueIn(stored, finished) && !(finished === 'Failed' && demandsTarget);
  return {
    conditions: withPreconditions(list, isExempt),
    // A condition that another desired condition requires is not reported as a problem.
    kept: types.filter((type) => !isTrueIn(demanded, type)).map((type) => `${type}=True`),
  };
}
