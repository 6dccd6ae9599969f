import { ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';

/** How long a receiver that did not answer gets only one event at a time, in milliseconds. */
export const HOLD_MS = 10_000;

/**
 * A receiver that does not hold up others. After it was unavailable, one event is tried every 10 seconds, and all others fail at
 * once, until it accepts one. So a receiver that is down takes one place of one invocation. After it has answered that it is gone,
 * nothing is sent to it any more as long as this process runs.
 */
export function guardedReceiver(receiver: EventReceiver, clock: () => number): EventReceiver {
  /** The error for the events that are not tried, and when the next one is. */
  let held: { readonly error: ReceiverUnavailableError; freeAt: number } | undefined;
  let gone: ReceiverRefusedError | undefined;
  const note = (error: unknown): void => {
    if (error instanceof ReceiverUnavailableError) held = { error, freeAt: clock() + HOLD_MS };
    else held = undefined;
    if (error instanceof ReceiverRefusedError && error.isGone) gone = error;
  };
  return {
    async deliver(event) {
      if (gone !== undefined) throw gone;
      if (held !== undefined) {
        if (clock() < held.freeAt) throw held.error;
        held.freeAt = clock() + HOLD_MS;
      }
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
