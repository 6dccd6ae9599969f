// What the table of `starfold health` says where there is no verdict, or an old one.

/** In the place of a verdict: the assessor has no rule for the kind. */
export const NO_RULE = '(no rule)';

/** The verdict on the last report of a silent WEC. `since` is `''` if no time is known. */
export function silentSince(since: string): string {
  return since === '' ? 'silent' : `silent since ${since}`;
}
