import { counted } from '#shared/core/counted.ts';
import type { EventSource } from '#shared/core/event.ts';
import { isEveryWec } from '#shared/state/senders.ts';

// What `starfold register` and `starfold unregister` have done, or need. What they have done follows its source and a colon.

function reported(source: EventSource): string {
  return isEveryWec(source) ? 'every WEC' : 'it';
}

/** The deployment has no registration. */
export const NO_REGISTRATION = 'No source is registered.\n';

/** A user gives no source, and no `--list`. */
export const NO_SOURCE =
  "the source is missing: give wec/NAME, wds/NAME, fleet/NAME or 'wec/*', or --list";

/** A user gives both a source and `--list`. */
export const LIST_OF_ALL = '--list shows all sources: leave the source out';

/** A principal may report the source already. */
export function registeredAlready(principal: string): string {
  return `${principal} is registered already`;
}

/** A principal may report the source from now on. `others` are those that may already. */
export function registered(source: EventSource, principal: string, others = ''): string {
  const rest = others === '' ? '' : `, in addition to ${others}`;
  return `${principal} may report ${reported(source)} now${rest}`;
}

/** A principal may no longer report the source. `left` is the number of those that still may. */
export function unregistered(source: EventSource, principal: string, left: number): string {
  const rest = left === 0 ? 'no other may' : `${counted(left, 'other')} still may`;
  return `${principal} may no longer report ${reported(source)}, after a minute at most; ${rest}`;
}

/** A principal has no registration that could be removed. */
export function notRegisteredFor(principal: string): string {
  return `${principal} is not registered for it`;
}

/** The deployment does not know a source that is to be removed. */
export function unknownSource(source: string): string {
  return `${source} is not known: no principal is registered for it, and it has not reported; starfold register --list shows the registrations`;
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

/** The rows of a WEC are being deleted. It follows {@link removed}. */
export const BEING_REMOVED = '; what it has reported is being removed';

/** The command asks whether it is to remove a source. `name` is the source. */
export function removeQuestion({ type }: EventSource, name: string): string {
  const what =
    type === 'wec' ? 'its registrations and all that it has reported' : 'all of its registrations';
  return `Remove ${name} permanently, with ${what}?`;
}

const NOBODY_TO_ASK =
  'the source is removed permanently, and there is no terminal for the question: give --yes';

/** The command is to remove a source of a deployment as a whole, and cannot ask anybody. */
export const NO_TERMINAL = `without --role and --principal, ${NOBODY_TO_ASK}`;

/** The operator has answered no. */
export const NOTHING_REMOVED = 'nothing was removed';

/** The command is to remove all WECs. */
export const EVERY_WEC_STAYS =
  'wec/* is not a source that can be removed: give --role ARN or --principal ID to remove its registration (starfold register --list shows it), or wec/NAME to remove one WEC';

/**
 * `starfold unregister --state`. The state file of `starfold start` has no registrations: the lines of the tokens file, `--wec`,
 * `--wds` and `--fleet` say who may report.
 */
export const IN_STATE = {
  everyWecStays:
    '--state: wec/* is not a source that can be removed: remove its line from the tokens file, or give wec/NAME to remove one WEC',
  noTerminal: `with --state, ${NOBODY_TO_ASK}`,
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
