import { counted } from '#shared/core/counted.ts';
import type { Advice } from './messages.ts';

// What doctor says of the queues and of the messages in their dead-letter queues.

/** A queue has messages, or none. `age` is the time that the oldest has waited, if it is known. */
export function queueReport(
  queue: string,
  { waiting, inFlight }: { readonly waiting: number; readonly inFlight: number },
  age?: string,
): string {
  const oldest = age === undefined ? 'the age of the oldest is not known' : `the oldest ${age} old`;
  return `${queue}: ${waiting} waiting, ${inFlight} being handled, ${oldest}`;
}

/** The oldest message of a queue has waited for too long. `handler` is the function that handles the queue. */
export function slowQueue(queue: string, handler: string): string {
  return `${handler} does not keep up or fails: see its log, its throttles and errors (docs/operations.md, alarm ${queue}-age)`;
}

/** CloudWatch gives no answer. `fault` says why. */
export function agesNotKnown(fault: string): string {
  return `the age of the messages is not known: ${fault}`;
}

/** A dead-letter queue has no message. */
export function noDeadLetters(queue: string): string {
  return `${queue}: none`;
}

/** What is known of a message in a dead-letter queue. */
interface LetterTold {
  readonly queue: string;
  readonly messageId: string;
  readonly kind: string;
  readonly about: string;
  readonly reasons: readonly string[];
  readonly sender?: string;
}

/** A dead-letter queue has a message. `age` is the time since it was sent. */
export function letterReport(letter: LetterTold, age: string): string {
  const { queue, messageId, kind, about, reasons, sender } = letter;
  const from = sender === undefined ? '' : `, sender ${sender}`;
  return `${queue}: ${kind}: ${about}${from}, ${age} old (${messageId}): ${reasons.join('; ')}`;
}

/** A dead-letter queue has messages beyond those that are shown. */
export function moreLetters(queue: string, others: number): Advice {
  return {
    message: `${queue}: about ${counted(others, 'message')} more, which another process is reading, or which ${others === 1 ? 'is' : 'are'} behind these in the queue`,
    remedy: 'starfold redrive --dry-run shows more',
  };
}
