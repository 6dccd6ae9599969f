import type { ForwarderEvent } from '#shared/core/event.ts';
import { MessageTooLargeError } from '#shared/errors.ts';
import { MAX_MESSAGE_BYTES, type MessageQueue } from '#shared/ports/message-queue.ts';
import { backoffMs, type Waiting } from './backoff.ts';
import { type Outbox, type Parcel, parcelOf } from './outbox.ts';

/** SQS takes up to ten messages in a request. */
const MAX_PARCELS = 10;

/** What sending in batches needs of the world. */
export interface BatcherDeps extends Waiting {
  readonly queue: MessageQueue;
  /** How long events gather before they are sent. */
  readonly windowMs: number;
  /** An event that no message can hold: it is sent without what makes it so large, if it can be. */
  readonly onTooLarge: (event: ForwarderEvent, bytes: number) => void;
  /** After each attempt to send: the error that it ended with, if it did. */
  readonly onAttempt: (error: unknown) => void;
}

function bytesOf({ body }: Parcel): number {
  return Buffer.byteLength(body);
}

/**
 * What can be told of an event that no message can hold: of a WEC's object everything but its spec and status, and how
 * large it was, so that the users of the WDS learn of it. `undefined`: nothing.
 */
function reduced(event: ForwarderEvent, bytes: number): ForwarderEvent | undefined {
  const { content } = event;
  if (content.type !== 'wec-object' || content.returned === undefined) return undefined;
  const { spec: _spec, status: _status, ...rest } = content.returned;
  return { ...event, content: { ...content, returned: { ...rest, oversizedBytes: bytes } } };
}

function reducedParcel(deps: BatcherDeps, parcel: Parcel): readonly Parcel[] {
  const bytes = bytesOf(parcel);
  return parcel.events.flatMap((event) => {
    deps.onTooLarge(event, bytes);
    const rest = reduced(event, bytes);
    return rest === undefined ? [] : [parcelOf(rest)];
  });
}

/** Of what was too large together, finds what is too large alone. */
async function sendSingly(
  deps: BatcherDeps,
  parcels: readonly Parcel[],
  signal: AbortSignal,
): Promise<void> {
  for (const parcel of parcels) {
    if (parcels.length > 1) await sendForEver(deps, [parcel], signal);
    else if (parcel.events.length === 1)
      for (const rest of reducedParcel(deps, parcel)) await sendForEver(deps, [rest], signal);
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

/** The parcels that a message can hold, and what is left of those that none can. */
function sendable(deps: BatcherDeps, parcels: readonly Parcel[]): readonly Parcel[] {
  return parcels.flatMap((parcel) =>
    bytesOf(parcel) <= MAX_MESSAGE_BYTES ? [parcel] : reducedParcel(deps, parcel),
  );
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
    const parcels = sendable(deps, taken);
    if (parcels.length > 0) await sendForEver(deps, parcels, signal);
  }
}
