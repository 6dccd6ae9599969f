import type { EventSource } from '#shared/core/event.ts';
import { isEveryWec } from '#shared/state/senders.ts';

// What `starfold register` and `starfold unregister` have done. Each sentence follows its source and a colon.

function reported(source: EventSource): string {
  return isEveryWec(source) ? 'every WEC' : 'it';
}

/** No source is registered at all. */
export const NO_REGISTRATION = 'No source is registered.\n';

/** `others` are the principals that may report the source already. */
export function registered(source: EventSource, principal: string, others = ''): string {
  const rest = others === '' ? '' : `, in addition to ${others}`;
  return `${principal} may report ${reported(source)} now${rest}`;
}

/** `left` is the number of principals that may still report the source. */
export function unregistered(source: EventSource, principal: string, left: number): string {
  const rest = left === 0 ? 'no other may' : `${left} other${left === 1 ? '' : 's'} still may`;
  return `${principal} may no longer report ${reported(source)}, after a minute at most; ${rest}`;
}

/**
 * A whole source.
 *
 * @param principals who was registered; `''` if no principal was
 * @param everyWec who may still report it, because they may report every WEC
 */
export function removed(principals: string, everyWec = ''): string {
  const rest =
    everyWec === ''
      ? 'now none may report it, after a minute at most'
      : `${everyWec} still may report it, like every WEC: unless its ITS has removed it, it returns`;
  return `${principals || 'no principal'} was registered; ${rest}`;
}

/** A WEC whose rows are being deleted. It follows {@link removed}. */
export const BEING_REMOVED = '; what it has reported is being removed';

/** `name` is the source that would be removed. */
export function removeQuestion({ type }: EventSource, name: string): string {
  const what =
    type === 'wec' ? 'its registrations and all that it has reported' : 'all of its registrations';
  return `Remove ${name} permanently, with ${what}?`;
}

/** The source is removed as a whole, and nobody can be asked. What the source is follows from the options before. */
export const NO_TERMINAL =
  'the source is removed permanently, and there is no terminal for the question: give --yes';

/** The answer was no. */
export const NOTHING_REMOVED = 'nothing was removed';

/** A principal that SQS shows for one session of a role. `whole` is the role. */
export function isSession(principal: string, whole: string): string {
  return `--principal: ${principal} is one session, but a registration is for the whole role: give --principal ${whole} if every session of it may report`;
}

/** A principal that SQS shows for several users. */
export function isAccount(principal: string, account: string): string {
  return `--principal: ${principal} is every federated user of account ${account}, and its root user: let the forwarder send as a role or user of its own, and give that`;
}

/** `starfold unregister` of all WECs. */
export const EVERY_WEC_STAYS =
  'wec/* is not a source that can be removed: give --role ARN or --principal ID to remove its registration (starfold register --list shows it), or wec/NAME to remove one WEC';

/**
 * `starfold unregister --state`. The state file of `starfold start` has no registrations: the lines of the tokens file, `--wec`,
 * `--wds` and `--fleet` say who may report.
 */
export const IN_STATE = {
  everyWecStays:
    '--state: wec/* is not a source that can be removed: remove its line from the tokens file, or give wec/NAME to remove one WEC',
  unknown: (name: string, file: string): string =>
    `${name} is not known: nothing that it has reported is in ${file}`,
  /** `name` is the source that would be removed. */
  question: ({ type }: EventSource, name: string): string =>
    type === 'wec'
      ? `If a forwarder can still report ${name} (by a line of the tokens file, or by --wec), it returns. Remove it permanently, with all that it has reported?`
      : `If starfold start still follows ${name}, it returns. Remove it permanently?`,
  removed: ({ type }: EventSource): string =>
    type === 'wec'
      ? 'it is removed; starfold start removes what it has reported from the results, now or when it runs again'
      : 'it is removed; commands with --state no longer find it',
} as const;
