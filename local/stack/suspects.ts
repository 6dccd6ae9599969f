import type { ReceivedMessage } from '#shared/ports/message-queue.ts';

export type Messages = readonly ReceivedMessage[];

/**
 * Which groups of a FIFO queue may end their invocation. A group is suspect if one of its messages was received before, or
 * if `groups` names it. Suspects are tried one at a time (`trials.ts`). SQS on Lambda cannot do this
 * (docs/adr/0023-one-trial-at-a-time.md).
 */
export interface SuspectRules {
  /** Returns groups that are suspect even if their messages are received for the first time. */
  readonly groups: () => Promise<ReadonlySet<string>>;
  /** Returns the tenant of a message. The suspects of different tenants take turns. */
  readonly tenantOf: (message: ReceivedMessage) => string;
  /** How long the messages of suspects stay invisible from the begin of a trial. It is longer than an invocation. */
  readonly visibilitySeconds: number;
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

/** @param known groups that are suspect even if their messages are received for the first time */
export function dividedBySuspicion(
  messages: Messages,
  known: ReadonlySet<string>,
  tenantOf: SuspectRules['tenantOf'],
): Divided {
  const others: ReceivedMessage[] = [];
  const suspects: Suspect[] = [];
  for (const [name, its] of Map.groupBy(messages, ({ group = '' }) => group)) {
    const [first] = its;
    if (first === undefined) continue;
    const receives = Math.max(...its.map(({ receiveCount }) => receiveCount));
    const isKnown = known.has(name);
    if (receives > 1 || isKnown)
      suspects.push({ messages: its, tenant: tenantOf(first), receives, isKnown });
    else others.push(...its);
  }
  return { others, suspects };
}
