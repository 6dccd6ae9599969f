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
import type { RightsAsked, SenderCheck, SenderRights } from './sender-check.ts';

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

/** Whether only the forwarder of the hub reports this. */
function isOfHub({ content }: ForwarderEvent): boolean {
  return (
    content.type === 'hub-snapshot' || (content.type === 'inventory' && content.hub !== undefined)
  );
}

function isOnlyOfWecs(sources: readonly EventSource[]): boolean {
  return sources.every(({ type }) => type === 'wec');
}

/**
 * The sources for which the first sender of a message must be registered. A message of several WECs, and what only a hub reports,
 * needs `wec/*`.
 */
function sourcesAsked(events: readonly ForwarderEvent[]): readonly EventSource[] {
  const sources = sourcesOf(events);
  if (sources.length > 1) return isOnlyOfWecs(sources) ? [EVERY_WEC] : [];
  return events.some(isOfHub) ? [...sources, EVERY_WEC] : sources;
}

/** What has to be checked of the senders of a message, before it is assessed. */
export function rightsAskedBy({ brought, first, decoded }: Opened): RightsAsked {
  return {
    redrivers: brought.map(({ senderId }) => senderId),
    claims: sourcesAsked(decoded.events).map((source) => ({ senderId: first.senderId, source })),
  };
}

/** A message that is assessed, and the answer to what it asks. */
interface Asking {
  readonly rights: SenderRights;
  readonly called: SenderCheck['called'];
}

/** Rejects a message if it was redriven by a sender that may not redrive. */
function broughtByStranger(
  { rights, called }: Asking,
  { brought }: Opened,
): Assessment | undefined {
  const stranger = brought.find(({ senderId }) => !rights.mayRedrive(senderId));
  return stranger && forged(stranger, [noRedriver(called(stranger.senderId))]);
}

/** Why a message may not report for several sources; undefined if it may. */
function severalFault(
  { rights, called }: Asking,
  senderId: string,
  sources: readonly EventSource[],
): string | undefined {
  const sender = called(senderId);
  if (!isOnlyOfWecs(sources)) return mixedSources(sender, sources.length);
  const isAllowed = rights.mayReport({ senderId, source: EVERY_WEC });
  return isAllowed ? undefined : severalWecs(sender, sources.length);
}

/** Why a sender may not report ManagedClusters; empty if the message has none, or if the sender reports for every WEC. */
function hubReasons(
  { rights, called }: Asking,
  senderId: string,
  events: readonly ForwarderEvent[],
): readonly string[] {
  if (!events.some(isOfHub)) return [];
  const isAllowed = rights.mayReport({ senderId, source: EVERY_WEC });
  return isAllowed ? [] : [managedCluster(called(senderId))];
}

/** Why a sender may not report for the sources of a message; empty if the sender may. */
function foreignReasons(
  asking: Asking,
  senderId: string,
  sources: readonly EventSource[],
): readonly string[] {
  if (sources.length > 1) {
    const fault = severalFault(asking, senderId, sources);
    return fault === undefined ? [] : [fault];
  }
  const { rights, called } = asking;
  return sources
    .filter((source) => !rights.mayReport({ senderId, source }))
    .map((source) => notRegistered(called(senderId), sourceText(source)));
}

/**
 * Decides which events of a message may be recorded (docs/architecture.md, section 6, invariants 6 and 7). Each event is judged
 * by itself, so an unreadable event does not block the others. A forwarder reports for one source, or (the forwarder of an ITS)
 * for every WEC. A message that reports for several sources is rejected as a whole, unless all of them are WECs and its sender
 * is registered for `wec/*`.
 *
 * @param asking the rights that {@link rightsAskedBy} asks for this message, and how senders are called
 */
export function assess(opened: Opened, asking: Asking): Assessment {
  const refusal = broughtByStranger(asking, opened);
  if (refusal !== undefined) return refusal;
  const { events, errors, refused } = opened.decoded;
  const { senderId, body } = opened.first;
  const sources = sourcesOf(events);
  const foreign = [
    ...foreignReasons(asking, senderId, sources),
    // Of several sources that are not all WECs, nothing else is said.
    ...(sources.length > 1 && !isOnlyOfWecs(sources) ? [] : hubReasons(asking, senderId, events)),
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
