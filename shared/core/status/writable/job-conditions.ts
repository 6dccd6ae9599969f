import type { JsonObject } from '#shared/core/json.ts';
import { conditionsOf, isTrueIn, withPreconditions } from '#shared/core/status/job-conditions.ts';
import type { StatusWrite } from './status-write.ts';

const SUCCESS = ['Complete', 'SuccessCriteriaMet'] as const;
const FAILURE = ['Failed', 'FailureTarget'] as const;
/** Types that stay True once they are. */
const LASTING: readonly string[] = [...FAILURE, ...SUCCESS];

/** The conditions of a Job that can be written. */
export interface WritableConditions {
  readonly conditions: readonly JsonObject[];
  /** Types that stay True although they are not desired, or although it is desired that the Job ends otherwise. */
  readonly kept: readonly string[];
}

function anyTrue(list: readonly JsonObject[], types: readonly string[]): boolean {
  return types.some((type) => isTrueIn(list, type));
}

function isTrueOf(entry: JsonObject, types: readonly string[]): boolean {
  return entry['status'] === 'True' && types.some((type) => type === entry['type']);
}

/**
 * The desired entries that fit how the Job ends: with success where that stands, else as a failure where that stands or
 * is desired. A failure that comes too late is still said, but not as True: Argo CD looks for the entry alone.
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

/** The entries that stand as True and must: the first of each type. */
function lasting(stored: readonly JsonObject[]): readonly JsonObject[] {
  return LASTING.flatMap((type): readonly JsonObject[] => {
    const entry = stored.find((one) => isTrueOf(one, [type]));
    return entry === undefined ? [] : [entry];
  });
}

/**
 * Makes the desired conditions writable over those that stand: `Complete`, `Failed`, `SuccessCriteriaMet` and
 * `FailureTarget` stay True, success and failure exclude each other, and what needs a condition before it has it. A Job
 * that stood as finished without that condition (Kubernetes 1.30) may go on so; a Complete one must.
 *
 * @param demandsTarget whether a Job that has failed needs its `FailureTarget` again
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
    // What another desired condition demands is no problem to tell of.
    kept: types.filter((type) => !isTrueIn(demanded, type)).map((type) => `${type}=True`),
  };
}
