// The sentences that only the sending of notifications has: in its log, and in the errors of events that are delivered again.

/** An expression of a rule has failed. */
export const NO_VALUE = 'a rule has no value';

/** The receiver of an event that was sent before the configuration has changed. */
export const NO_LONGER_CONFIGURED = 'a receiver is no longer configured';

/** The event becomes a dead letter. */
export const NOT_ACCEPTED = 'a receiver does not accept an event';

/** The document of the notifications cannot be read, or has faults. `isFirst`: there was none before that could be used. */
export function unusableNotifications(isFirst: boolean): string {
  return `the notifications cannot be used: ${isFirst ? 'messages wait' : 'the last document counts'}`;
}

/** A receiver has not answered in time. */
export function noAnswer(seconds: number): string {
  return `no answer within ${seconds} s`;
}

/** The receiver of an event has not answered an earlier one. `fault` is the error of the earlier one. */
export function notTried(fault: string): string {
  return `not tried, because of an earlier event: ${fault}`;
}
