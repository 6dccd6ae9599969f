import { MessageTooLargeError } from '#shared/errors.ts';
import { withoutContent } from '#shared/events/oversized.ts';
import { MAX_MESSAGE_BYTES, type MessageSender } from '#shared/ports/message-queue.ts';
import { backoffMs, type Waiting } from '#shared/watch/backoff.ts';
import { type EncodedEvent, type Parcel, parcelOf } from './parcels.ts';
import type { SendBuffer } from './send-buffer.ts';

/** SQS accepts up to ten messages in a request. */
const MAX_PARCELS = 10;
/** The interval at which a process that may not send checks whether it may again. */
const HELD_MS = 250;
/** The longest wait between two attempts while the forwarder stops, because there is little time left. */
const CLOSING_MS = 1_000;

/** The events that the queue accepted in one request. */
export interface SentParcels {
  readonly events: readonly EncodedEvent[];
  readonly messages: number;
  /** The duration of the request. */
  readonly milliseconds: number;
}

/** The dependencies of the batcher. */
export interface BatcherDeps extends Waiting {
  readonly queue: MessageSender;
  /** The group of the messages (`sourceGroup`). */
  readonly group: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The time to collect events before they are sent. */
  readonly windowMs: number;
  /** Whether this process may still send. Checked before each attempt. */
  readonly isLeading: () => boolean;
  /**
   * Called for an event that is too large for any message. If possible, the event is sent without the content that makes it so
   * large.
   */
  readonly onTooLarge: (event: EncodedEvent, bytes: number) => void;
  /** Called after an attempt to send that failed. */
  readonly onFailure: (error: unknown) => void;
  /** Called after an attempt to send that succeeded. */
  readonly onSent: (sent: SentParcels) => void;
}

/** The state of a run, which sends one request to the queue after the other. */
interface Sending extends BatcherDeps {
  /** Aborts when the forwarder is stopped. */
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

/** Sends parcels that were too large for one request one by one, which finds those that are too large alone. */
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

/** Waits before the next attempt. If the forwarder is stopped, the wait ends, and later waits are short. */
async function backOff(deps: Sending, failures: number, signal: AbortSignal): Promise<void> {
  const { closing, sleep, random } = deps;
  const ms = backoffMs(failures, random);
  if (closing.aborted) await sleep(Math.min(ms, CLOSING_MS), signal);
  else await sleep(ms, AbortSignal.any([signal, closing]));
}

/**
 * Retries until the queue has accepted the parcels. A failed attempt may have sent some of them. Receivers compare versions.
 */
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

/** The parcels that fit into a message, and the reduced forms of those that do not. */
function sendable(deps: BatcherDeps, parcels: readonly Parcel[]): readonly Parcel[] {
  return parcels.flatMap((parcel) =>
    bytesOf(parcel) <= MAX_MESSAGE_BYTES ? [parcel] : reducedParcels(deps, parcel),
  );
}

/** Waits while events are collected, unless there are more than one request can take, or no more events will be added. */
async function gather(
  deps: BatcherDeps,
  sendBuffer: SendBuffer,
  signal: AbortSignal,
): Promise<void> {
  const { windowMs, sleep } = deps;
  await sendBuffer.filled(deps, signal);
  if (!sendBuffer.closed && windowMs > 0)
    await sleep(windowMs, AbortSignal.any([signal, sendBuffer.closing]));
}

/**
 * Sends as many parcels as one request can hold.
 *
 * @returns how many messages were taken
 */
async function sendOnce(
  deps: BatcherDeps,
  sendBuffer: SendBuffer,
  signal: AbortSignal,
): Promise<number> {
  const taken = sendBuffer.take(MAX_PARCELS);
  const parcels = sendable(deps, taken);
  if (parcels.length > 0)
    await sendForEver({ ...deps, closing: sendBuffer.closing }, parcels, signal);
  if (!signal.aborted) sendBuffer.accept();
  return taken.length;
}

/**
 * Sends the events of a send buffer in order, until the signal aborts, or until the send buffer is closed and empty. During a send,
 * further events are collected. If the queue is down, the batcher retries forever. It drops only events that no message can
 * hold.
 */
export async function runBatcher(
  deps: BatcherDeps,
  sendBuffer: SendBuffer,
  signal: AbortSignal,
): Promise<void> {
  for (let full = false; !signal.aborted; ) {
    if (!full) await gather(deps, sendBuffer, signal);
    if (signal.aborted || (sendBuffer.closed && sendBuffer.size === 0)) return;
    full = (await sendOnce(deps, sendBuffer, signal)) === MAX_PARCELS;
  }
}
