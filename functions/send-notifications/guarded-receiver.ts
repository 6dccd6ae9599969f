import { AppError, ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import { type EventReceiver, LONGEST_PAUSE_SECONDS } from '#shared/ports/event-receiver.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { notTried } from './messages.ts';

/** How long a receiver that did not answer gets no event, in milliseconds. After more events in a row, it is longer. */
export const HOLD_MS = 10_000;

/** A receiver does not answer. This event was not tried, and is delivered again. */
export class ReceiverHeldError extends AppError {
  override readonly name = 'ReceiverHeldError';
  readonly code = 'receiver-held';
  readonly retryable = true;
  /** The seconds after which the event may be tried. */
  readonly seconds: number;
  constructor(fault: ReceiverUnavailableError, seconds: number) {
    super(notTried(fault.message), { cause: fault });
    this.seconds = seconds;
  }
}

/** What is known about a receiver that has not answered. */
interface Hold {
  readonly error: ReceiverUnavailableError;
  /** How many events in a row were not answered. */
  readonly failures: number;
  /** When the next event is tried, in milliseconds since the epoch. */
  freeAt: number;
}

/**
 * A receiver that does not hold up others. After it has not answered, one event is tried after 10 seconds, later after up to a
 * minute, or after the time that it has asked for. All others are not tried, until it answers one. So a receiver that is down takes
 * one place of one invocation, for a small part of the time. An answer concerns only its event. After the receiver has answered
 * that it is gone, nothing is sent to it any more as long as this process runs.
 */
export function guardedReceiver(receiver: EventReceiver, clock: () => number): EventReceiver {
  let held: Hold | undefined;
  let gone: ReceiverRefusedError | undefined;
  const note = (error: unknown): void => {
    if (error instanceof ReceiverUnavailableError) {
      const { retryAfterSeconds } = error;
      const failures = (held?.failures ?? 0) + 1;
      const own = Math.max(HOLD_MS, exponentialRetry(failures) * 1_000);
      const asked = retryAfterSeconds === undefined ? own : retryAfterSeconds * 1_000;
      held = { error, failures, freeAt: clock() + Math.min(asked, LONGEST_PAUSE_SECONDS * 1_000) };
    } else held = undefined;
    if (error instanceof ReceiverRefusedError && error.isGone) gone = error;
  };
  /** Takes the place of the event that is tried. @throws ReceiverHeldError if there is none */
  const enter = (): void => {
    if (held === undefined) return;
    const { error, freeAt } = held;
    const now = clock();
    if (now < freeAt) throw new ReceiverHeldError(error, Math.ceil((freeAt - now) / 1_000));
    held.freeAt = now + HOLD_MS;
  };
  return {
    async deliver(event) {
      if (gone !== undefined) throw gone;
      enter();
      try {
        await receiver.deliver(event);
        held = undefined;
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
}
