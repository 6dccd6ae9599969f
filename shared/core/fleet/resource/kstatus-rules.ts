import type { KstatusStatus } from '#shared/core/health/kstatus/verdict.ts';
import { changed, type Rule } from './rule.ts';

/** What Fleet calls the statuses of kstatus. Of the others it says nothing: there kstatus has failed. */
const STATES: ReadonlyMap<KstatusStatus, string> = new Map([
  ['InProgress', 'in-progress'],
  ['Failed', 'failed'],
  ['Current', 'active'],
  ['Terminating', 'removing'],
]);
const MESSAGE_SEPARATOR = '; ';

/** kstatus as the state of a resource that has none yet (Fleet's code, `checkStandard`). */
export const kstatusStateRule: Rule = ({ kstatus: { status, message } }, before) => {
  const state = STATES.get(status);
  return before.state === '' && state !== undefined ? changed(before, { state, message }) : before;
};

function withoutRepeats(message: string): string {
  return [...new Set(message.split(MESSAGE_SEPARATOR))].join(MESSAGE_SEPARATOR);
}

/** kstatus for the flags of every resource, and its message, without parts that it has twice (Fleet's code, `kStatusSummarizer`). */
export const kstatusFlagRule: Rule = ({ kstatus: { status, message } }, before) => {
  if (!STATES.has(status)) return before;
  return changed(before, {
    error: before.error || status === 'Failed',
    transitioning: before.transitioning || status === 'InProgress' || status === 'Terminating',
    message: withoutRepeats(message),
  });
};
