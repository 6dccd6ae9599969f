import type { EventSource, ForwarderEvent } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { type DecodedBody, decodeBatch } from '#shared/events/codec.ts';
import type { DeadLetter } from '#shared/messages/dead-letter.ts';
import { parseRedriven } from '#shared/messages/redriven.ts';
import { EVERY_WEC } from '#shared/state/senders.ts';
import {
  managedCluster,
  mixedSources,
  noRedriver,
  notRegistered,
  severalWecs,
} from './messages.ts';
import type { SenderCheck } from './sender-check.ts';

/** A message as the queue delivered it. */
export interface Sealed {
  readonly senderId: string;
  readonly body: string;
}

/** A message that was read. Whether its sender may send it has not been checked yet. */
export interface Opened {
  /** The messages of the redrivers, the last one first. */
  readonly brought: readonly Sealed[];
  /** The message as it was first sent. */
  readonly first: Sealed;
  readonly decoded: DecodedBody;
}

/** The content of a message. */
export interface Assessment {
  /** Events to be recorded: they can be read, and their sender may report for their source. */
  readonly events: readonly ForwarderEvent[];
  /** The number of events (or bodies) that cannot be read. */
  readonly unreadable: number;
  /** The letter of the rejected rest. Absent if nothing was rejected. */
  readonly letter?: DeadLetter;
}

const MAX_REASONS = 10;
const MAX_REASON_CHARACTERS = 300;

/**
 * Reasons in the form of a letter.
 *
 * @param total the number of all reasons; `reasons` may only have the first of them
 */
export function shortened(reasons: readonly string[], total: number): readonly string[] {
  const named = reasons
    .slice(0, MAX_REASONS)
    .map((reason) =>
      reason.length <= MAX_REASON_CHARACTERS
        ? reason
        : `${reason.slice(0, MAX_REASON_CHARACTERS)}...`,
    );
  const more = total - named.length;
  return more > 0 ? [...named, `and ${more} more`] : named;
}

/** Reads a message, however often it was redriven. @param nowMs milliseconds since 1970 */
export function openMessage(sealed: Sealed, nowMs: number): Opened {
  const brought: Sealed[] = [];
  let first = sealed;
  for (;;) {
    const redriven = parseRedriven(first.body);
    if (redriven === undefined) return { brought, first, decoded: decodeBatch(first.body, nowMs) };
    brought.push(first);
    first = redriven;
  }
}

function sourcesOf(events: readonly ForwarderEvent[]): readonly EventSource[] {
  return [...new Map(events.map(({ source }) => [sourcePartition(source), source])).values()];
}

/** Rejects a whole message. */
function forged({ senderId, body }: Sealed, reasons: readonly string[]): Assessment {
  const letter: DeadLetter = { code: 'forged-sender', reasons, senderId, body };
  return { events: [], unreadable: 0, letter };
}

/** Rejects a message if it was redriven by a sender that may not redrive. */
async function broughtByStranger(
  check: SenderCheck,
  { brought }: Opened,
): Promise<Assessment | undefined> {
  for (const sealed of brought)
    if (!(await check.mayRedrive(sealed.senderId)))
      return forged(sealed, [noRedriver(check.called(sealed.senderId))]);
  return undefined;
}

/**
 * Why a message may not report for several sources; undefined if it may. The check is one request, however many sources there
 * are.
 */
async function severalFault(
  check: SenderCheck,
  senderId: string,
  sources: readonly EventSource[],
): Promise<string | undefined> {
  const sender = check.called(senderId);
  if (sources.some(({ type }) => type !== 'wec')) return mixedSources(sender, sources.length);
  const allowed = await check.allowed(senderId, [EVERY_WEC]);
  return allowed.has(sourcePartition(EVERY_WEC)) ? undefined : severalWecs(sender, sources.length);
}

/** Why a sender may not report ManagedClusters; empty if the message has none, or if the sender reports for every WEC. */
async function hubReasons(
  check: SenderCheck,
  senderId: string,
  events: readonly ForwarderEvent[],
): Promise<readonly string[]> {
  const isOfHub = ({ content }: ForwarderEvent): boolean =>
    content.type === 'hub-snapshot' || (content.type === 'inventory' && content.hub !== undefined);
  if (!events.some(isOfHub)) return [];
  const allowed = await check.allowed(senderId, [EVERY_WEC]);
  return allowed.has(sourcePartition(EVERY_WEC)) ? [] : [managedCluster(check.called(senderId))];
}

/** Why a sender may not report for the sources of a message; empty if the sender may. */
async function foreignReasons(
  check: SenderCheck,
  senderId: string,
  sources: readonly EventSource[],
): Promise<readonly string[]> {
  if (sources.length > 1) {
    const fault = await severalFault(check, senderId, sources);
    return fault === undefined ? [] : [fault];
  }
  const allowed = await check.allowed(senderId, sources);
  return sources
    .filter((source) => !allowed.has(sourcePartition(source)))
    .map((source) => notRegistered(check.called(senderId), sourceText(source)));
}

/**
 * Decides which events of a message may be recorded (docs/architecture.md, section 6, invariants 6 and 7). Each event is judged
 * by itself, so an unreadable event does not block the others. A forwarder reports for one source, or (the forwarder of an ITS)
 * for every WEC. A message that reports for several sources is rejected as a whole, unless all of them are WECs and its sender
 * is registered for `wec/*`.
 *
 * @throws StoreUnavailableError if the registrations cannot be read.
 */
export async function assess(check: SenderCheck, opened: Opened): Promise<Assessment> {
  const refusal = await broughtByStranger(check, opened);
  if (refusal !== undefined) return refusal;
  const { events, errors, refused } = opened.decoded;
  const { senderId, body } = opened.first;
  const sources = sourcesOf(events);
  const foreign = [
    ...(await foreignReasons(check, senderId, sources)),
    ...(await hubReasons(check, senderId, events)),
  ];
  if (foreign.length > 0 && sources.length > 1) return forged(opened.first, foreign);
  const reasons = [...foreign, ...errors.map(({ message }) => message)];
  const code = foreign.length > 0 ? 'forged-sender' : 'unreadable';
  const named = shortened(reasons, foreign.length + refused);
  return {
    events: foreign.length > 0 ? [] : events,
    unreadable: refused,
    ...(reasons.length > 0 ? { letter: { code, reasons: named, senderId, body } } : {}),
  };
}
