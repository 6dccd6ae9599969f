import { decodeBatch } from '#shared/events/codec.ts';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { principalOf } from '#shared/state/senders.ts';
import { type DeadLetter, parseDeadLetter } from './dead-letter.ts';
import { parseDirty, parseHint } from './dirty.ts';
import { encodeRedriven, parseRedriven } from './redriven.ts';

/** The queues that have a dead-letter queue, by the name of what they carry. */
export type RedrivableQueue = 'events' | 'dirty' | 'hints';

/** Who sends dead letters back. */
export interface Redriver {
  /** Its own principal (`principalOf` of its SenderId). */
  readonly principal: string;
  /**
   * The principal of record-events. Given: the letters that it wrote go back too, somebody has looked at them. Absent:
   * every letter stays.
   */
  readonly recorder?: string;
}

/** What to do with a message of a dead-letter queue. */
export type Redrive =
  | { readonly type: 'send'; readonly message: OutgoingMessage }
  /**
   * - `letter`: it was refused when it came, with reasons, and would be again;
   * - `unreadable`: nothing in it can be read;
   * - `too-large`: no message can hold it together with the name of its sender.
   */
  | { readonly type: 'stay'; readonly why: 'letter' | 'unreadable' | 'too-large' };

type DeadMessage = Pick<ReceivedMessage, 'body' | 'senderId' | 'group'>;

function sent({ group }: DeadMessage, body: string | undefined): Redrive {
  return body === undefined
    ? { type: 'stay', why: 'too-large' }
    : { type: 'send', message: { body, ...(group === undefined ? {} : { group }) } };
}

/** Whether there is something in a body that can be recorded, or nothing at all. What it costs to know is bounded by the codec. */
function isReadable(body: string): boolean {
  const redriven = parseRedriven(body);
  if (redriven !== undefined) return isReadable(redriven.body);
  const { events, refused } = decodeBatch(body);
  return events.length > 0 || refused === 0;
}

function redriveLetter(message: DeadMessage, letter: DeadLetter, redriver: Redriver): Redrive {
  const isGenuine = principalOf(message.senderId) === redriver.recorder;
  return isGenuine ? sent(message, encodeRedriven(letter)) : { type: 'stay', why: 'letter' };
}

function redriveEvents(message: DeadMessage, redriver: Redriver): Redrive {
  const { body, senderId } = message;
  const letter = parseDeadLetter(body);
  if (letter !== undefined) return redriveLetter(message, letter, redriver);
  if (!isReadable(body)) return { type: 'stay', why: 'unreadable' };
  // What others say of a sender is enclosed as they sent it, so that it is judged by who they are.
  const isOwn = principalOf(senderId) === redriver.principal && parseRedriven(body) !== undefined;
  return sent(message, isOwn ? body : encodeRedriven({ senderId, body }));
}

/**
 * What to do with a message of a dead-letter queue (docs/architecture.md, section 6, invariant 3): it goes back to its
 * queue when its handling can succeed now, which it can when it failed again and again for other reasons than what it
 * says.
 *
 * Events go back with the name of their first sender. Those that can be read in part go back too: then the others get
 * their letter. Work for the other functions goes back as it is, in its group, without a deduplication identifier.
 */
export function redriveOf(
  queue: RedrivableQueue,
  message: DeadMessage,
  redriver: Redriver,
): Redrive {
  if (queue === 'events') return redriveEvents(message, redriver);
  const { body, group } = message;
  try {
    if (queue === 'dirty') parseDirty(body);
    else parseHint(body);
  } catch {
    return { type: 'stay', why: 'unreadable' };
  }
  return { type: 'send', message: { body, ...(group === undefined ? {} : { group }) } };
}
