import type { DecisionExplanation } from '#shared/core/explanation/decision-explanation.ts';

// The lines of `starfold explain` above the table, and what is wrong with its options.

const NO_STATUS = 'Starfold writes no status';
/** What a decision means for a status without fields. */
const WITHOUT_FIELDS: Readonly<Record<DecisionExplanation['action'], string>> = {
  Aggregate: NO_STATUS,
  Copy: NO_STATUS,
  Clear: NO_STATUS,
  Leave: 'Starfold leaves the status as it is',
};

/** The status has no fields. The decision says why. */
export function fieldWithoutStatus(
  field: string,
  { action, reason }: Pick<DecisionExplanation, 'action' | 'reason'>,
): string {
  return `--field ${field}: ${WITHOUT_FIELDS[action]}: ${reason}`;
}

function suggestion(what: string, known: readonly string[], near: string | undefined): string {
  const list = known.length === 0 ? `there are no ${what}` : `the ${what} are ${known.join(', ')}`;
  return near === undefined ? list : `did you mean ${near}? ${list}`;
}

/** `near` is the similar one of the known fields. */
export function unknownField(
  field: string,
  known: readonly string[],
  near: string | undefined,
): string {
  return `--field ${field}: ${suggestion('fields', known, near)}`;
}

/** `near` is the similar one of the WECs that the object is sent to. */
export function unknownWec(
  wec: string,
  known: readonly string[],
  near: string | undefined,
): string {
  return `--without ${wec}: ${suggestion('WECs of this object', known, near)}`;
}

/** The explanation is that of a question. */
export function asIfGone(what: 'WECs' | 'Clusters', names: readonly string[]): string {
  return `As if these ${what} were gone: ${names.join(', ')}`;
}

/** How many WECs have reported the object, of those that it is sent to. */
export function wecsReported(reported: number, qualified: number): string {
  return `WECs: ${reported} of ${qualified} have reported`;
}

/** The names of WECs that have not reported, or whose reports do not count. They follow {@link wecsReported}. */
export const NAMED_WECS = {
  missing: (names: string): string => `missing: ${names}`,
  silent: (names: string): string => `silent: ${names}`,
  tooLarge: (names: string): string => `too large: ${names}`,
} as const;

/** The verdict on the status. */
export function healthIs(status: string, message: string): string {
  return `Health: ${status}${message === '' ? '' : `: ${message}`}`;
}

/** `others` are the other verdicts, each with how many have it. */
export function decidedBy(deciders: readonly string[], others: readonly string[]): string {
  const rest = others.length === 0 ? '' : `; others: ${others.join(', ')}`;
  return `Decided by ${deciders.join(', ')}${rest}`;
}

/** `problem` is why the WDS does not have the status, if that is known. */
export function notInWds(problem: string | undefined): string {
  return `Not in the WDS yet${problem === undefined ? '' : `: ${problem}`}`;
}

/** The API server of the WDS rejects a part of the status. */
export function wdsRejects(fault: string): string {
  return `The WDS rejects: ${fault}`;
}
