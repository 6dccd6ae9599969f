import { NewerMessageError } from '#shared/errors.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { principalOf } from '#shared/state/senders.ts';
import { type DeadLetter, parseDeadLetter } from './dead-letter.ts';
import { parseDirty, parseHint } from './dirty.ts';
import { parseNotification } from './notification.ts';
import { encodeRedriven, parseRedriven } from './redriven.ts';

/** The queues that have a dead-letter queue, by their content. A deployment on AWS may have no notifications. */
export type RedrivableQueue = 'events' | 'dirty' | 'hints' | 'notifications';

/** The principal that sends dead letters again. */
export interface Redriver {
  /** Its own principal (`principalOf` of its SenderId). */
  readonly principal: string;
  /**
   * The principal of record-events. If it is present, the letters of record-events are sent again too, because an operator has
   * checked them. If it is absent, all of these letters stay.
   */
  readonly recorder?: string;
}

/** What happens to a message of a dead-letter queue. */
export type Redrive =
  | { readonly type: 'send'; readonly message: OutgoingMessage }
  /**
   * - `letter`: it was rejected with reasons when it arrived, and would be rejected again;
   * - `newer`: a newer release sent it, and can read it;
   * - `unreadable`: no part of it can be read;
   * - `too-large`: it does not fit into a message together with the name of its sender.
   */
  | { readonly type: 'stay'; readonly why: 'letter' | 'newer' | 'unreadable' | 'too-large' };

type DeadMessage = Pick<ReceivedMessage, 'body' | 'senderId' | 'group'>;

function sent({ group }: DeadMessage, body: string | undefined): Redrive {
  return body === undefined
    ? { type: 'stay', why: 'too-large' }
    : { type: 'send', message: { body, ...(group === undefined ? {} : { group }) } };
}

/** Whether a part of a body can be recorded. The codec bounds the cost of this check. */
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
  // A body that names another sender is enclosed as its actual sender sent it, so that the actual sender's rights count.
  const isOwn = principalOf(senderId) === redriver.principal && parseRedriven(body) !== undefined;
  return sent(message, isOwn ? body : encodeRedriven({ senderId, body }));
}

/** What reads the messages of each queue between functions. */
const PARSERS = { dirty: parseDirty, hints: parseHint, notifications: parseNotification } as const;

/**
 * Decides what happens to a message of a dead-letter queue (docs/architecture.md, section 6, invariant 3). It is sent to its
 * queue again if its handling can succeed now. That is possible if it failed repeatedly for reasons other than its content.
 *
 * Events are sent again with the name of their first sender. A batch of which a part can be read is sent again too, and the
 * rest then gets a letter. Work for the other functions is sent again unchanged, in its group, without a deduplication
 * identifier.
 */
export function redriveOf(
  queue: RedrivableQueue,
  message: DeadMessage,
  redriver: Redriver,
): Redrive {
  if (queue === 'events') return redriveEvents(message, redriver);
  try {
    PARSERS[queue](message.body);
  } catch (error) {
    return { type: 'stay', why: error instanceof NewerMessageError ? 'newer' : 'unreadable' };
  }
  return sent(message, message.body);
}
