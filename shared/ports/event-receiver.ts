import type { JsonObject } from '#shared/core/json.ts';

/** The longest pause that a receiver can ask for, in seconds. */
export const LONGEST_PAUSE_SECONDS = 600;

/** Something outside that gets CloudEvents. It must tolerate that it gets an event more than once. */
export interface EventReceiver {
  /**
   * Hands an event over. After it has returned, the receiver has accepted the event.
   *
   * @throws ReceiverUnavailableError (retryable) if there was no answer, or one that says when to try again;
   *   ReceiverFailedError (retryable) if the answer to this event may be another one later;
   *   ReceiverRefusedError if the receiver does not accept the event, and would not if it got the event again
   */
  deliver(event: JsonObject): Promise<void>;
}
