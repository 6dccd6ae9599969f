// What `starfold fleet diff` says, and what is wrong with its options.

/** The value of `--older-than` is not a duration. */
export const NOT_A_DURATION = 'Write a duration such as 90s, 5m or 1h30m.';

/** A user gives both `--state` and `--stage`. */
export const TWO_PLACES = '--state is a file and --stage a deployment on AWS: give one of them';

/** The table has no rows. */
export const NO_DIFFERENCES = 'No differences.\n';

/** The API server has rejected a status. It has the place of a field. */
export const REJECTED = '(rejected)';

/** An object has fields that are not shown. */
export function moreFields(fields: number): string {
  return `(${fields} more)`;
}

/** No management cluster has reported. */
export const NO_UPSTREAM =
  'no management cluster of Fleet has reported here: start its forwarder (docs/fleet.md), or check --state or --stage';

/** The management cluster of `--upstream` has not reported. `known` are those that have. */
export function unknownUpstream(upstream: string, known: readonly string[]): string {
  return `--upstream ${upstream} has not reported here: check the name (known: ${known.join(', ')})`;
}

/** A forwarder has not reported every object of its management cluster. */
export function notReadYet(upstream: string): string {
  return `${upstream} has not been read completely yet: wait until its forwarder has (starfold start and the forwarder's /readyz say what it waits for)`;
}
