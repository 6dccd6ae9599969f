import { availableParallelism } from 'node:os';
import type { RedriveRoute } from '#functions/sweep-stale/redrive.ts';
import type { TenantBound } from '#shared/adapters/sqlite/backlogs.ts';
import type { SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';

/**
 * Aggregations at a time, each in a thread of its own: the main thread has enough to do with what comes before and after
 * them. Never one alone: while one subject is being ended, the others go on.
 */
const AGGREGATORS = Math.min(Math.max(availableParallelism() - 1, 2), 4);

/**
 * Invocations at a time. What waits shall wait where messages of one group become one piece of work, so recording is not
 * held up by what follows it. And how many turns a source has in one of them: an invocation is done with all of its
 * messages at once, so whoever comes waits for those of a flood that were there before.
 */
export const QUEUES = {
  events: { fifo: false, concurrency: 4, turns: 1 },
  dirty: { fifo: true, concurrency: AGGREGATORS, turns: 4 },
  hints: { fifo: true, concurrency: 8, turns: 10 },
} as const;

/** A queue that feeds a function. */
export type QueueName = keyof typeof QUEUES;

/** The queues that feed functions, and the dead-letter queue of each. */
export type LocalQueues = Readonly<Record<QueueName | `${QueueName}-dlq`, SqliteMessageQueue>>;

/**
 * What a source says is recorded while fewer of its subjects wait to be aggregated: all functions share one processor, and a
 * flood that is recorded as fast as it comes would leave too little of it for the work that others wait for.
 */
const WAITING_SUBJECTS = 20;

/**
 * What waits to be recorded of one token: three of the largest requests, and seconds of work. So the file holds at most this
 * times the tokens, and no token can use what is another's.
 */
export const WAITING_EVENTS: TenantBound = { messages: 10_000, bytes: 32 * 1024 * 1024 };

/** What is kept of the dead letters of one source: enough to see what is wrong, and sixteen of the largest. */
export const KEPT_LETTERS: TenantBound = { messages: 100, bytes: 16 * 1024 * 1024 };

const VISIBILITY_SECONDS = 60;
/** With waits of up to a minute between deliveries: more than three hours of an API server that is down. */
const MAX_RECEIVES = 200;
/** Longer than redriving takes at most: what it has seen and leaves shall not come again meanwhile. */
const DEAD_VISIBILITY_SECONDS = 360;

/** The queue of events alone has what somebody else sends. */
const EVENTS = {
  feeds: { name: 'dirty', groups: WAITING_SUBJECTS },
  accepts: WAITING_EVENTS,
  deadLetterKeeps: KEPT_LETTERS,
} as const;

/** Opens the queues in a database. */
export function openQueues(database: SqliteDatabase): LocalQueues {
  const queue = (name: QueueName): SqliteMessageQueue =>
    createSqliteMessageQueue(database, {
      name,
      fifo: QUEUES[name].fifo,
      turns: QUEUES[name].turns,
      visibilityTimeoutSeconds: VISIBILITY_SECONDS,
      maxReceiveCount: MAX_RECEIVES,
      clock: Date.now,
      deadLetterQueue: `${name}-dlq`,
      ...(name === 'events' ? EVENTS : {}),
    });
  const deadLetterQueue = (name: QueueName): SqliteMessageQueue =>
    createSqliteMessageQueue(database, {
      name: `${name}-dlq`,
      fifo: QUEUES[name].fifo,
      visibilityTimeoutSeconds: DEAD_VISIBILITY_SECONDS,
      maxReceiveCount: MAX_RECEIVES,
      clock: Date.now,
      ...(name === 'events' ? { keeps: KEPT_LETTERS } : {}),
    });
  return {
    events: queue('events'),
    dirty: queue('dirty'),
    hints: queue('hints'),
    'events-dlq': deadLetterQueue('events'),
    'dirty-dlq': deadLetterQueue('dirty'),
    'hints-dlq': deadLetterQueue('hints'),
  };
}

/** From each dead-letter queue back to its queue. */
export function redriveRoutes(queues: LocalQueues): readonly RedriveRoute[] {
  // The names of an object that is written out above.
  const names = Object.keys(QUEUES) as QueueName[];
  return names.map((name) => ({ name, queue: queues[name], deadLetters: queues[`${name}-dlq`] }));
}
