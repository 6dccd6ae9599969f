import { LRUCache } from 'lru-cache';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';

export type Messages = readonly ReceivedMessage[];

/**
 * Which groups of a FIFO queue may end their invocation. A group is suspect if an invocation with one of its messages has ended
 * without an answer about the message, or if `groups` names it. Suspects are tried one at a time (`trials.ts`). SQS on Lambda
 * cannot do this (docs/adr/0023-one-trial-at-a-time.md).
 */
export interface SuspectRules {
  /** Returns groups that are suspect even if their messages are received for the first time. */
  readonly groups: () => Promise<ReadonlySet<string>>;
  /** Returns the tenant of a message. The suspects of different tenants take turns. */
  readonly tenantOf: (message: ReceivedMessage) => string;
  /** How long the messages of suspects stay invisible from the begin of a trial. It is longer than an invocation. */
  readonly visibilitySeconds: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The maximum number of remembered messages: some ten megabytes. Beyond it, those that were answered first are suspect. */
const MAX_ANSWERED = 100_000;

/**
 * The messages of which the function has answered that it could not handle them, so they have not ended their invocation. After
 * a restart, nothing is known.
 */
export class AnsweredMessages {
  readonly #ids = new LRUCache<string, true>({ max: MAX_ANSWERED });

  add(messages: Messages): void {
    for (const { messageId } of messages) this.#ids.set(messageId, true);
  }

  /** Call this when an invocation of the messages begins: until it answers, nothing is known. */
  forget(messages: Messages): void {
    for (const { messageId } of messages) this.#ids.delete(messageId);
  }

  has({ messageId }: ReceivedMessage): boolean {
    return this.#ids.has(messageId);
  }
}

/** The messages of a group that may end their invocation. */
export interface Suspect {
  /** At least one message. */
  readonly messages: Messages;
  readonly tenant: string;
  /** How often it was received, including this time. */
  readonly receives: number;
  /** Whether it has ended invocations before: {@link SuspectRules.groups} names it. */
  readonly isKnown: boolean;
}

/** Messages that were received together, divided into those of one invocation and the suspects. */
interface Divided {
  readonly others: Messages;
  readonly suspects: readonly Suspect[];
}

/**
 * @param of.known groups that are suspect even if their messages are received for the first time
 * @param of.answered the messages whose last invocation has answered
 */
export function dividedBySuspicion(
  messages: Messages,
  {
    known,
    answered,
    tenantOf,
  }: Pick<SuspectRules, 'tenantOf'> & {
    readonly known: ReadonlySet<string>;
    readonly answered: Pick<AnsweredMessages, 'has'>;
  },
): Divided {
  const others: ReceivedMessage[] = [];
  const suspects: Suspect[] = [];
  for (const [name, its] of Map.groupBy(messages, ({ group = '' }) => group)) {
    const [first] = its;
    if (first === undefined) continue;
    const receives = Math.max(...its.map(({ receiveCount }) => receiveCount));
    const isKnown = known.has(name);
    const hasEnded = its.some((one) => one.receiveCount > 1 && !answered.has(one));
    if (hasEnded || isKnown)
      suspects.push({ messages: its, tenant: tenantOf(first), receives, isKnown });
    else others.push(...its);
  }
  return { others, suspects };
}
