import { type WorkloadName, workloadText } from '#shared/core/status-api/status-name.ts';

// The sentences about lists and watches, about their options, and about the parameter `without`. Those about options are word for
// word those of Kubernetes (k8s.io/apimachinery, ValidateListOptions), if Kubernetes has the same error.

const MATCH = 'resourceVersionMatch';

function invalidValue(key: string, value: string, wanted: string): string {
  return `${key}: Invalid value: "${value}": must be ${wanted}`;
}

/** `value` is not written in digits. */
export function noWholeNumber(key: string, value: string): string {
  return invalidValue(key, value, 'a non-negative integer');
}

/** `value` is too large to be read exactly. */
export function hugeNumber(key: string, value: string): string {
  return invalidValue(key, value, `at most ${Number.MAX_SAFE_INTEGER}`);
}

/** `value` is neither true nor false. */
export function noFlag(key: string, value: string): string {
  return invalidValue(key, value, 'true or false');
}

function forbidden(why: string): string {
  return `Forbidden: ${why}`;
}

/** Of `sendInitialEvents`. */
export const INITIAL_EVENTS_OF_LIST = forbidden('sendInitialEvents is forbidden for list');

/** Of `resourceVersionMatch`, like the others until {@link INITIAL_EVENTS_WITHOUT_MATCH}. */
export const MATCH_OF_CONTINUED = forbidden(`${MATCH} is forbidden when continue is provided`);

export const MATCH_WITHOUT_VERSION = forbidden(
  `${MATCH} is forbidden unless resourceVersion is provided`,
);

/** A resourceVersion of 0 stands for any. */
export const EXACT_OF_ANY = forbidden(`${MATCH} "Exact" is forbidden for resourceVersion "0"`);

export const MATCH_OF_WATCH = forbidden(
  `${MATCH} is forbidden for watch unless sendInitialEvents is provided`,
);

export const INITIAL_EVENTS_WITHOUT_MATCH = forbidden(
  `sendInitialEvents requires setting ${MATCH} to NotOlderThan`,
);

/** A later page has the resourceVersion of the first one. */
export const VERSION_OF_CONTINUED =
  'specifying resource version is not allowed when using continue';

/** `continue` is not a text that a server has given. */
export const INVALID_CONTINUE = 'continue key is not valid';

/** `fault` is what is wrong with the label selector. */
export function invalidLabelSelector(fault: string): string {
  return `unable to parse requirement: ${fault}`;
}

/** A list that must be met exactly, but only the present can be read. */
export function pastVersion(version: number): string {
  return `The resourceVersion for the provided list is too old: ${version}`;
}

/** A watch cannot continue after `version`. */
export function expiredVersion(version: number): string {
  return `too old resource version: ${version}`;
}

/** What clients recognise {@link futureVersion} by. */
export const FUTURE_VERSION = 'Too large resource version';

/** The server has only reached `current`. */
export function futureVersion(wanted: number, current: number): string {
  return `${FUTURE_VERSION}: ${wanted}, current: ${current}`;
}

/** A watch, where nothing runs for long. */
export const NO_WATCH =
  'this door serves no watch: list again, or watch at the direct door or through the APIService';

/** A list or watch that asks what would be without some WECs. */
export const WITHOUT_OF_LIST =
  'without: only the get of one object has it: add the name to the path';

/** A name in `without` is empty. */
export const EMPTY_WITHOUT = 'without: the name of a WEC is empty: give WEC[,WEC], or leave it out';

/** The object is not sent to a `wec` of `without`. `near` is the similar name of one to which it is sent. */
export function notSentTo(workload: WorkloadName, wec: string, near: string | undefined): string {
  const { resource, group, namespace, name } = workload;
  const meant = near === undefined ? '' : `did you mean "${near}"? `;
  const [plural, place] =
    namespace === '' ? ['clusterwecstatuses', ''] : ['wecstatuses', ` -n ${namespace}`];
  const selector = `workload.name=${name},workload.resource=${resource},workload.group=${group}`;
  return `without: no Binding sends ${workloadText(workload)} to a WEC "${wec}": ${meant}the WECs are listed by: kubectl get ${plural}${place} --field-selector ${selector}`;
}
