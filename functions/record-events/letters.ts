import type { SQSRecord } from 'aws-lambda';
import { sourceText } from '#shared/core/source-text.ts';
import type { DeadLetter } from '#shared/messages/dead-letter.ts';
import { quotaReasons } from './admit.ts';
import { type Assessment, type Sealed, shortened } from './assess.ts';
import type { ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { sharedLetter } from './messages.ts';

/** A message that was read and checked, with the events to record. */
export interface Message extends Assessment {
  readonly events: readonly ReceivedEvent[];
  readonly record: SQSRecord;
  /** The message as it was first sent. */
  readonly first: Sealed;
  /** The events that the quota of their source rejected. */
  readonly overQuota?: readonly ReceivedEvent[];
}

/** The letter of messages that were rejected, wholly or in part. */
export interface Refusal {
  readonly letter: DeadLetter;
  /** The letter contains the body of the first one. */
  readonly messages: readonly [Message, ...Message[]];
  /** The number of rejected events. */
  readonly events: number;
}

function own(deps: RecordDeps, message: Message, letter: DeadLetter): Refusal {
  const { overQuota = [], unreadable } = message;
  const quotaTexts = quotaReasons(deps, overQuota);
  const reasons = [...letter.reasons, ...shortened(quotaTexts, quotaTexts.length)];
  return {
    letter: { ...letter, reasons },
    messages: [message],
    events: unreadable + overQuota.length,
  };
}

/** Identifies a flood: the sender and the source. */
function floodOf({ first, overQuota = [] }: Message): string {
  const [event] = overQuota;
  return JSON.stringify([first.senderId, event && sourceText(event.source)]);
}

function shared(deps: RecordDeps, messages: readonly Message[]): Refusal | undefined {
  // The letter has to have room for one of them.
  const bySize = messages.toSorted((a, b) => a.first.body.length - b.first.body.length);
  const [kept, ...others] = bySize;
  if (kept === undefined) return undefined;
  const refused = messages.flatMap(({ overQuota = [] }) => overQuota);
  const quotaTexts = quotaReasons(deps, refused);
  const reasons = [
    ...shortened(quotaTexts, quotaTexts.length),
    ...(others.length === 0 ? [] : [sharedLetter(messages.length)]),
  ];
  return {
    letter: { code: 'over-quota', reasons, ...kept.first },
    messages: [kept, ...others],
    events: refused.length,
  };
}

/**
 * The letters of rejected messages. A message that cannot be read, or is forged, has its own letter, because its content is not
 * stored anywhere else. Messages that only a quota rejected share one letter for each sender and source: the forwarder's next
 * snapshot repeats their content, and a flood must not fill the dead-letter queue.
 */
export function refusalsOf(deps: RecordDeps, messages: readonly Message[]): readonly Refusal[] {
  const owned = messages.flatMap((message) =>
    message.letter === undefined ? [] : [own(deps, message, message.letter)],
  );
  const overQuota = messages.filter(
    ({ letter, overQuota: refused = [] }) => letter === undefined && refused.length > 0,
  );
  const floods = [...Map.groupBy(overQuota, floodOf).values()];
  return [...owned, ...floods.flatMap((flood) => shared(deps, flood) ?? [])];
}
