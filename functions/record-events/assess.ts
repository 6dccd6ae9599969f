import type { EventSource, ForwarderEvent } from '#shared/core/event.ts';
import { type DecodedBody, decodeBody } from '#shared/events/codec.ts';
import type { DeadLetter } from '#shared/messages/dead-letter.ts';
import { parseRedriven } from '#shared/messages/redriven.ts';
import { sourcePartition } from '#shared/state/keys.ts';
import { principalOf, sourceText } from '#shared/state/senders.ts';
import type { SenderCheck } from './sender-check.ts';

/** A message as the queue delivered it. */
interface Sealed {
  readonly senderId: string;
  readonly body: string;
}

/** A message that has been read; nobody has been asked yet whether its sender may say that. */
export interface Opened {
  /** Those who brought the message in the name of others, with what they brought, the last one first. */
  readonly brought: readonly Sealed[];
  /** As it was sent first. */
  readonly first: Sealed;
  readonly decoded: DecodedBody;
}

/** What there is in a message. */
export interface Assessment {
  /** Events that can be read and whose sender may speak for their source: to be recorded. */
  readonly events: readonly ForwarderEvent[];
  /** How many events (or bodies) cannot be read. */
  readonly unreadable: number;
  /** What becomes of the rest; absent: there is none. */
  readonly letter?: DeadLetter;
}

const MAX_REASONS = 10;
const MAX_REASON_CHARACTERS = 300;

/** @param total how many reasons there are; those at hand may be the first of them */
function shortened(reasons: readonly string[], total: number): readonly string[] {
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

/** Reads a message, however often it was redriven. */
export function openMessage(sealed: Sealed): Opened {
  const brought: Sealed[] = [];
  let first = sealed;
  for (;;) {
    const redriven = parseRedriven(first.body);
    if (redriven === undefined) return { brought, first, decoded: decodeBody(first.body) };
    brought.push(first);
    first = redriven;
  }
}

function sourcesOf(events: readonly ForwarderEvent[]): readonly EventSource[] {
  return [...new Map(events.map(({ source }) => [sourcePartition(source), source])).values()];
}

/** All of a message is refused: nothing in it counts. */
function forged({ senderId, body }: Sealed, reasons: readonly string[]): Assessment {
  const letter: DeadLetter = { code: 'forged-sender', reasons, senderId, body };
  return { events: [], unreadable: 0, letter };
}

/** A refusal if somebody has brought the message who may not bring any. */
async function broughtByStranger(
  check: SenderCheck,
  { brought }: Opened,
): Promise<Assessment | undefined> {
  for (const sealed of brought)
    if (!(await check.mayRedrive(sealed.senderId)))
      return forged(sealed, [
        `${principalOf(sealed.senderId)} may not bring messages in the name of others: starfold redrive registers who does`,
      ]);
  return undefined;
}

/**
 * Finds out what of a message may be recorded (design, section 6, invariants 6 and 7). Each event is judged by itself:
 * what cannot be read does not stop the others. But a forwarder speaks for one source: of a message that speaks for
 * several nothing counts, and nobody is asked about any of them.
 *
 * @throws StoreUnavailableError when it cannot be found out who may speak for whom.
 */
export async function assess(check: SenderCheck, opened: Opened): Promise<Assessment> {
  const refusal = await broughtByStranger(check, opened);
  if (refusal !== undefined) return refusal;
  const { events, errors, refused } = opened.decoded;
  const { senderId, body } = opened.first;
  const principal = principalOf(senderId);
  const sources = sourcesOf(events);
  if (sources.length > 1)
    return forged(opened.first, [
      `${principal} speaks for ${sources.length} sources in one message: a forwarder has one, so send those of each by themselves`,
    ]);
  const allowed = await check.allowed(senderId, sources);
  const foreign = sources.filter((source) => !allowed.has(sourcePartition(source)));
  const reasons = [
    ...foreign.map((source) => `${principal} is not registered for ${sourceText(source)}`),
    ...errors.map(({ message }) => message),
  ];
  const code = foreign.length > 0 ? 'forged-sender' : 'unreadable';
  const named = shortened(reasons, foreign.length + refused);
  return {
    events: foreign.length > 0 ? [] : events,
    unreadable: refused,
    ...(reasons.length > 0 ? { letter: { code, reasons: named, senderId, body } } : {}),
  };
}
