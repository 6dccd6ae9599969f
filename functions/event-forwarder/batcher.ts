import { MessageTooLargeError } from '#shared/errors.ts';
import { withoutContent } from '#shared/events/oversized.ts';
import { MAX_MESSAGE_BYTES, type MessageSender } from '#shared/ports/message-queue.ts';
import { backoffMs, type Waiting } from '#shared/watch/backoff.ts';
import { type EncodedEvent, type Outbox, type Parcel, parcelOf } from './outbox.ts';

/** SQS takes up to ten messages in a request. */
const MAX_PARCELS = 10;
/** How often one that may not speak looks whether it may again. */
const HELD_MS = 250;
/** The longest wait between two attempts while the forwarder is being stopped: there is little time left. */
const CLOSING_MS = 1_000;

/** What was accepted by the queue in one request. */
export interface SentParcels {
  readonly events: readonly EncodedEvent[];
  readonly messages: number;
  /** From when the request began. */
  readonly milliseconds: number;
}

/** What sending in batches needs of the world. */
export interface BatcherDeps extends Waiting {
  readonly queue: MessageSender;
  /** Whose messages they are (`sourceGroup`). */
  readonly group: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** How long events gather before they are sent. */
  readonly windowMs: number;
  /** Whether this process still is the one that may speak; asked before each attempt. */
  readonly isLeading: () => boolean;
  /** An event that no message can hold: it is sent without what makes it so large, if it can be. */
  readonly onTooLarge: (event: EncodedEvent, bytes: number) => void;
  /** After an attempt to send that failed. */
  readonly onFailure: (error: unknown) => void;
  /** After an attempt to send that succeeded. */
  readonly onSent: (sent: SentParcels) => void;
}

/** One request to the queue after the other. */
interface Sending extends BatcherDeps {
  /** Aborts when the forwarder is being stopped. */
  readonly closing: AbortSignal;
}

function bytesOf({ body }: Parcel): number {
  return Buffer.byteLength(body);
}

function reducedParcels(deps: BatcherDeps, parcel: Parcel): readonly Parcel[] {
  const bytes = bytesOf(parcel);
  return parcel.events.flatMap((event) => {
    deps.onTooLarge(event, bytes);
    const text = withoutContent(event.text, bytes);
    return text === undefined ? [] : [parcelOf([{ ...event, text }])];
  });
}

/** Of what was too large together, finds what is too large alone. */
async function sendSingly(
  deps: Sending,
  parcels: readonly Parcel[],
  signal: AbortSignal,
): Promise<void> {
  for (const parcel of parcels) {
    if (parcels.length > 1) await sendForEver(deps, [parcel], signal);
    else if (parcel.events.length === 1)
      for (const rest of reducedParcels(deps, parcel)) await sendForEver(deps, [rest], signal);
    else
      await sendSingly(
        deps,
        parcel.events.map((event) => parcelOf([event])),
        signal,
      );
  }
}

/** Waits before the next attempt. When the forwarder is being stopped the wait ends, and those that follow are short. */
async function backOff(deps: Sending, failures: number, signal: AbortSignal): Promise<void> {
  const { closing, sleep, random } = deps;
  const ms = backoffMs(failures, random);
  if (closing.aborted) await sleep(Math.min(ms, CLOSING_MS), signal);
  else await sleep(ms, AbortSignal.any([signal, closing]));
}

/** Sends until the queue has accepted: an attempt that failed may have sent some, and receivers know versions. */
async function sendForEver(
  deps: Sending,
  parcels: readonly Parcel[],
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    if (!deps.isLeading()) {
      await deps.sleep(HELD_MS, signal);
      continue;
    }
    const start = deps.clock();
    try {
      await deps.queue.send(
        parcels.map(({ body }) => ({ body, group: deps.group })),
        signal,
      );
      const events = parcels.flatMap((parcel) => parcel.events);
      deps.onSent({
        events,
        messages: parcels.length,
        milliseconds: Math.max(0, deps.clock() - start),
      });
      return;
    } catch (error) {
      if (error instanceof MessageTooLargeError) return sendSingly(deps, parcels, signal);
      failures += 1;
      deps.onFailure(error);
      await backOff(deps, failures, signal);
    }
  }
}

/** The parcels that a message can hold, and what is left of those that none can. */
function sendable(deps: BatcherDeps, parcels: readonly Parcel[]): readonly Parcel[] {
  return parcels.flatMap((parcel) =>
    bytesOf(parcel) <= MAX_MESSAGE_BYTES ? [parcel] : reducedParcels(deps, parcel),
  );
}

/** Lets events gather for a while, unless there are more than one request can take, or no more will come. */
async function gather(
  { windowMs, sleep }: BatcherDeps,
  outbox: Outbox,
  signal: AbortSignal,
): Promise<void> {
  await outbox.filled(signal);
  if (!outbox.closed && windowMs > 0)
    await sleep(windowMs, AbortSignal.any([signal, outbox.closing]));
}

/** Sends what one request can hold. @returns how many messages were taken */
async function sendOnce(deps: BatcherDeps, outbox: Outbox, signal: AbortSignal): Promise<number> {
  const taken = outbox.take(MAX_PARCELS);
  const parcels = sendable(deps, taken);
  if (parcels.length > 0) await sendForEver({ ...deps, closing: outbox.closing }, parcels, signal);
  if (!signal.aborted) outbox.accept();
  return taken.length;
}

/**
 * Sends what an outbox holds, in order, until the signal aborts, or until the outbox is closed and empty. While a send is
 * under way further events gather; a queue that is down is tried again for ever, and nothing is dropped but what no
 * message can hold.
 */
export async function runBatcher(
  deps: BatcherDeps,
  outbox: Outbox,
  signal: AbortSignal,
): Promise<void> {
  for (let full = false; !signal.aborted; ) {
    if (!full) await gather(deps, outbox, signal);
    if (signal.aborted || (outbox.closed && outbox.size === 0)) return;
    full = (await sendOnce(deps, outbox, signal)) === MAX_PARCELS;
  }
}
