import { type AggregateDeps, rememberState } from '#functions/aggregate-workload/deps.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { startCheckpoints } from '#local/stack/checkpoint-thread.ts';
import { JOINED } from '#local/stack/queues.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import type { EventContent, EventSource, ForwarderEvent } from '#shared/core/event.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { CountingStore } from './counting-store.ts';

/** What a source states. */
export type Statement = readonly [source: EventSource, content: EventContent];

/** Recording and aggregation over a store that counts. */
export interface UseCaseWorld {
  readonly store: CountingStore;
  readonly deps: AggregateDeps;
  readonly dirty: MessageQueue;
  readonly hints: MessageQueue;
  /** Records one batch of statements of a source, with growing versions. */
  record(source: EventSource, contents: readonly EventContent[]): Promise<void>;
  /** Records one batch of statements of several sources. */
  recordAll(statements: readonly Statement[]): Promise<void>;
}

/** A world on a store and queues of this name. */
export function createUseCaseWorld(
  inner: ItemStore,
  queue: (name: 'dirty' | 'hints') => MessageQueue,
): UseCaseWorld {
  const store = new CountingStore(inner);
  const dirty = queue('dirty');
  const hints = queue('hints');
  const deps = {
    store,
    ...rememberState(store),
    schemas: createBuiltInSchemas(),
    dirty,
    hints,
    telemetry: createMemoryTelemetry(),
    clock: Date.now,
  };
  let sequence = 0;
  const event = ([source, content]: Statement): ForwarderEvent => {
    sequence += 1;
    const time = new Date().toISOString();
    return { source, version: { epoch: 1, sequence }, time, content };
  };
  const recordAll: UseCaseWorld['recordAll'] = async (statements) => {
    await recordEvents(deps, statements.map(event));
  };
  return {
    store,
    deps,
    dirty,
    hints,
    recordAll,
    record: (source, contents) => recordAll(contents.map((content) => [source, content])),
  };
}

/**
 * A world on a SQLite file, or in memory (`:memory:`). Its queues join messages, and a
 * thread makes checkpoints, as in the embedded stack.
 */
export function openUseCaseWorld(file: string): {
  readonly world: UseCaseWorld;
  readonly close: () => Promise<void>;
} {
  const database = openSqliteDatabase(file);
  const queue = (name: 'dirty' | 'hints') =>
    createSqliteMessageQueue(database, {
      name,
      joined: JOINED[name],
      fifo: true,
      visibilityTimeoutSeconds: 600,
      maxReceiveCount: 3,
      clock: Date.now,
    });
  const world = createUseCaseWorld(createSqliteItemStore(database), queue);
  const checkpoints = file === ':memory:' ? undefined : startCheckpoints(file);
  return {
    world,
    close: async () => {
      database.close();
      await checkpoints?.stop();
    },
  };
}

/** Receives all that waits, and lets the handler see it group by group, as the function behind the queue does. */
export async function drain(
  queue: MessageQueue,
  handle: (messages: readonly ReceivedMessage[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const received = await queue.receive({ max: 10, waitSeconds: 0 });
    if (received.length === 0) return;
    for (const messages of Map.groupBy(received, ({ group }) => group).values())
      await handle(messages);
    await queue.delete(received.map(({ receiptHandle }) => receiptHandle));
  }
}

/** Handles all that is dirty, and what becomes dirty by it. */
export function aggregateAll({ deps, dirty }: UseCaseWorld): Promise<void> {
  return drain(dirty, (messages) =>
    handleDirty(
      deps,
      messages.map(({ body }) => parseDirty(body)),
    ),
  );
}
