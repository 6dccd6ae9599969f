import type { WakeUps } from './wake-ups.ts';

/**
 * Runs a function in a write transaction, a moment later. All calls in one turn of the event loop share a transaction, because a
 * commit costs more than the changes. If a function throws, only its own call fails. A function may be run twice, so it must only
 * change the database.
 *
 * @param queue the queue that the function changes. Its waiting receivers receive in the same transaction
 */
export type GroupedWrite = <T>(body: () => T, queue?: string) => Promise<T>;

interface PendingWrite {
  readonly queue: string | undefined;
  readonly run: () => void;
  readonly settle: () => void;
  readonly fail: (error: unknown) => void;
}

function pendingWrite<T>(
  { body, queue }: { readonly body: () => T; readonly queue: string | undefined },
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): PendingWrite {
  let result: T;
  return {
    queue,
    run: () => {
      result = body();
    },
    settle: () => resolve(result),
    fail: reject,
  };
}

/** @param transaction runs a function in one transaction, at once */
export function groupedWrites(
  transaction: <T>(body: () => T) => T,
  wakeUps: Pick<WakeUps, 'receive'>,
): GroupedWrite {
  let pending: PendingWrite[] = [];
  const commit = (group: readonly PendingWrite[]): boolean => {
    try {
      const endWaits = transaction(() => {
        for (const write of group) write.run();
        const queues = group.map(({ queue }) => queue).filter((queue) => queue !== undefined);
        return wakeUps.receive(new Set(queues));
      });
      for (const write of group) write.settle();
      endWaits();
      return true;
    } catch (error) {
      if (group.length === 1) group[0]?.fail(error);
      return false;
    }
  };
  const flush = (): void => {
    const group = pending;
    pending = [];
    if (!commit(group) && group.length > 1) for (const write of group) commit([write]);
  };
  return (body, queue) =>
    new Promise((resolve, reject) => {
      pending.push(pendingWrite({ body, queue }, resolve, reject));
      if (pending.length === 1) setImmediate(flush);
    });
}
