import type { ReceivedMessage } from '#shared/ports/message-queue.ts';

export type Messages = readonly ReceivedMessage[];

/**
 * Which groups of a FIFO queue may end their invocation. A group is suspect if one of its messages was received before, or
 * if `groups` names it. Each suspect is given to an invocation of its own, after the messages of all other groups were
 * handled and deleted. SQS on Lambda cannot do this (docs/adr/0015-aggregation-in-workers.md).
 */
export interface SuspectRules {
  /** Returns groups that are suspect even if their messages are received for the first time. */
  readonly groups: () => Promise<ReadonlySet<string>>;
  /** How long the messages of suspects stay invisible from the begin of an invocation. */
  readonly visibilitySeconds: number;
}

/** Messages that were received together, divided into those of one invocation and those of one more for each suspect. */
interface Divided {
  readonly others: Messages;
  readonly suspects: readonly Messages[];
}

/** @param known groups that are suspect even if their messages are received for the first time */
export function dividedBySuspicion(messages: Messages, known: ReadonlySet<string>): Divided {
  const groups = [...Map.groupBy(messages, ({ group = '' }) => group)].map(([name, its]) => {
    const receives = Math.max(...its.map(({ receiveCount }) => receiveCount));
    return { its, receives, isSuspect: receives > 1 || known.has(name) };
  });
  return {
    others: groups.filter(({ isSuspect }) => !isSuspect).flatMap(({ its }) => its),
    // A group that was received more often is more likely to end its invocation.
    suspects: groups
      .filter(({ isSuspect }) => isSuspect)
      .sort((a, b) => a.receives - b.receives)
      .map(({ its }) => its),
  };
}
