import type { ForwarderEvent } from '#shared/core/event.ts';
import { MessageTooLargeError } from '#shared/errors.ts';
import { MAX_MESSAGE_BYTES, type MessageQueue } from '#shared/ports/message-queue.ts';
import { backoffMs, type Waiting } from './backoff.ts';
import { type Outbox, type Parcel, parcelOf } from './outbox.ts';

/** SQS takes up to ten messages in a request. */
const MAX_PARCELS = 10;

export interface BatcherDeps extends Waiting {
  readonly queue: MessageQueue;
  /** How long events gather before they are sent. */
  readonly windowMs: number;
  /** An event that no message can hold. It is not sent; the events after it are. */
  readonly onTooLarge: (event: ForwarderEvent, bytes: number) => void;
  /** After each attempt to send: the error that it ended with, if it did. */
  readonly onAttempt: (error: unknown) => void;
}

function bytesOf({ body }: Parcel): number {
  return Buffer.byteLength(body);
}

/** Of what was too large together, finds what is too large alone. */
async function sendSingly(
  deps: BatcherDeps,
  parcels: readonly Parcel[],
  signal: AbortSignal,
): Promise<void> {
  for (const parcel of parcels) {
    const [only] = parcel.events;
    if (parcels.length > 1) await sendForEver(deps, [parcel], signal);
    else if (parcel.events.length === 1 && only !== undefined)
      deps.onTooLarge(only, bytesOf(parcel));
    else await sendSingly(deps, parcel.events.map(parcelOf), signal);
  }
}

/** Sends until the queue has accepted: an attempt that failed may have sent some, and receivers know versions. */
async function sendForEver(
  deps: BatcherDeps,
  parcels: readonly Parcel[],
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      await deps.queue.send(
        parcels.map(({ body }) => ({ body })),
        signal,
      );
      deps.onAttempt(undefined);
      return;
    } catch (error) {
      if (error instanceof MessageTooLargeError) return sendSingly(deps, parcels, signal);
      deps.onAttempt(error);
      await deps.sleep(backoffMs(failures, deps.random), signal);
    }
  }
}

function isSendable(deps: BatcherDeps, parcel: Parcel): boolean {
  const bytes = bytesOf(parcel);
  if (bytes <= MAX_MESSAGE_BYTES) return true;
  for (const event of parcel.events) deps.onTooLarge(event, bytes);
  return false;
}

/**
 * Sends what an outbox holds, in order, until the signal aborts. While a send is under way further events gather; a
 * queue that is down is tried again for ever, and nothing is dropped but what no message can hold.
 */
export async function runBatcher(
  deps: BatcherDeps,
  outbox: Outbox,
  signal: AbortSignal,
): Promise<void> {
  let full = false;
  while (!signal.aborted) {
    await outbox.filled(signal);
    if (!full && deps.windowMs > 0) await deps.sleep(deps.windowMs, signal);
    if (signal.aborted) return;
    const taken = outbox.take(MAX_PARCELS);
    full = taken.length === MAX_PARCELS;
    const parcels = taken.filter((parcel) => isSendable(deps, parcel));
    if (parcels.length > 0) await sendForEver(deps, parcels, signal);
  }
}
