import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';

/** The conditions of a finished Job, and the condition that each of them needs to be True first. */
const PRECONDITIONS: readonly (readonly [finished: string, before: string])[] = [
  ['Failed', 'FailureTarget'],
  ['Complete', 'SuccessCriteriaMet'],
];

/** The entries of `.status.conditions`. Empty if there is no list. */
export function conditionsOf(status: JsonObject): readonly JsonObject[] {
  const list: JsonValue | undefined = status['conditions'];
  return isArray(list) ? list.filter((entry) => isObject(entry)) : [];
}

/** Whether an entry of this type is True. */
export function isTrueIn(list: readonly JsonObject[], type: string): boolean {
  return list.some((entry) => entry['type'] === type && entry['status'] === 'True');
}

/** Whether the Job has finished. */
export function isFinishedBy(list: readonly JsonObject[]): boolean {
  return PRECONDITIONS.some(([finished]) => isTrueIn(list, finished));
}

/**
 * The conditions, with those that an API server requires in addition: `Failed` needs `FailureTarget`, `Complete` needs
 * `SuccessCriteriaMet` (Kubernetes 1.31 and newer; a WEC with an older version does not have them). A missing condition
 * is copied from the condition that needs it.
 *
 * @param isExempt which of Failed and Complete do not need the other condition; neither by default
 */
export function withPreconditions(
  list: readonly JsonObject[],
  isExempt: (finished: string) => boolean = () => false,
): readonly JsonObject[] {
  const lacking = PRECONDITIONS.flatMap(([finished, before]): JsonObject[] => {
    const entry = list.find(({ type, status }) => type === finished && status === 'True');
    const isComplete = entry === undefined || isTrueIn(list, before) || isExempt(finished);
    return isComplete ? [] : [{ ...entry, type: before }];
  });
  const isReplaced = ({ type }: JsonObject): boolean =>
    lacking.some((entry) => entry['type'] === type);
  return [...list.filter((entry) => !isReplaced(entry)), ...lacking];
}
