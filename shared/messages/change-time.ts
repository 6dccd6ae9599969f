/**
 * When the change behind a message was made: the time at which the queue of events accepted it, in milliseconds since the epoch
 * (SQS's SentTimestamp, because the clocks of clusters are not trusted). It is only for measurements: no identifier, group or
 * result depends on it. It is absent if a message does not follow from an event, and in messages of older releases.
 */
export interface ChangeTime {
  readonly changedMs?: number;
  /**
   * The source of that event, as `sourceText` writes it. Work waits in the turn of this source. It only affects the order, like
   * the time. What follows from a Binding or a StatusCollector waits in its part of that turn, `<source>~<object>`: whoever changes
   * one again and again is not in the way of other users of the WDS.
   */
  readonly changedBy?: string;
}

/** The number of messages that follow from changes of each source. */
function countsOf(messages: readonly ChangeTime[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { changedBy } of messages)
    if (changedBy !== undefined) counts.set(changedBy, (counts.get(changedBy) ?? 0) + 1);
  return counts;
}

/**
 * The change of the work that several messages request together: the earliest time, and the source with the fewest messages. So
 * work for a source with few messages does not wait behind that of a source with many.
 *
 * @param counts the number of messages of each source, if it is known for more than these messages
 */
export function earliestChange(
  messages: readonly ChangeTime[],
  counts: ReadonlyMap<string, number> = countsOf(messages),
): ChangeTime {
  const times = messages.flatMap((message) => message.changedMs ?? []);
  const sources = messages.flatMap((message) => message.changedBy ?? []);
  const [changedBy] = sources.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  return {
    ...(times.length === 0 ? {} : { changedMs: times.reduce((a, b) => Math.min(a, b)) }),
    ...(changedBy === undefined ? {} : { changedBy }),
  };
}
