import { availableParallelism } from 'node:os';
import type { RedriveRoute } from '#functions/sweep-stale/redrive.ts';
import type { TenantBound } from '#shared/adapters/sqlite/backlogs.ts';
import type { SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import type { LowPriority } from '#shared/adapters/sqlite/low-priority.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import { TenantsInFlight } from '#shared/adapters/sqlite/tenants-in-flight.ts';
import type { DebtRate } from '#shared/debts.ts';
import { joinsDirty, joinsHint } from '#shared/messages/dirty.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import { wholeTenant } from '#shared/ports/message-queue.ts';
import { LEAST_SHARE, spareTimeClock } from './spare-time.ts';

/**
 * Concurrent aggregations, each in a thread of its own. The main thread is busy with the steps before and after them.
 * There are always at least two, so that others continue while one subject is being ended.
 */
const AGGREGATORS = Math.min(Math.max(availableParallelism() - 1, 2), 4);

const WDS_GROUP = sourceGroup({ type: 'wds', name: '' });
const WEC_GROUP = sourceGroup({ type: 'wec', name: '' });

const SUBJECTS_IN_TURN = 4;

const AT_MOST = { max: 200, bytes: 256 * 1024 };

/** A subject is aggregated and written once for all the messages that an invocation has of it. */
export const JOINED = {
  dirty: { ...AT_MOST, joins: joinsDirty },
  hints: { ...AT_MOST, joins: joinsHint },
};

/** What follows from all Bindings and StatusCollectors of one WDS together, in subjects. */
const PARTS_RATE: DebtRate = { perSecond: 300, burst: 20 };

/**
 * A WEC, a Binding or a StatusCollector that changes more subjects than this comes after those that change fewer, and two seconds
 * longer. A WDS and a management cluster of Fleet speak for many, so they have no low priority.
 */
const LOW_PRIORITY: LowPriority = {
  ...{ perSecond: 20, burst: 20, most: 60 },
  counts: (tenant) => tenant.startsWith(WEC_GROUP) || wholeTenant(tenant) !== tenant,
};

/**
 * Concurrent invocations, and how many turns a source has in one of them. Messages should wait where the messages of
 * one group become one piece of work, so recording is not delayed by the steps after it. An invocation completes all of
 * its messages at once, so a new message waits for those of a flood that are in the same invocation. While others are
 * active, the share of a source leaves one thread of aggregation free for them.
 */
export const QUEUES = {
  events: { fifo: false, concurrency: 4, turns: 1 },
  dirty: {
    fifo: true,
    concurrency: AGGREGATORS,
    turns: SUBJECTS_IN_TURN,
    share: SUBJECTS_IN_TURN * (AGGREGATORS - 1),
    parts: PARTS_RATE,
    lowPriority: LOW_PRIORITY,
    joined: JOINED.dirty,
  },
  hints: { fifo: true, concurrency: 8, turns: 10, joined: JOINED.hints },
  // A delivery waits for its receiver.
  notifications: { fifo: true, concurrency: 4, turns: 1 },
} as const;

/** A queue that feeds a function. */
export type QueueName = keyof typeof QUEUES;

/** The queues that feed functions, and the dead-letter queue of each. */
export type LocalQueues = Readonly<Record<QueueName | `${QueueName}-dlq`, SqliteMessageQueue>>;

/**
 * The events of a source are recorded only while fewer of its subjects than this are waiting to be aggregated. All
 * functions share one processor, and recording a flood at full speed would leave too little of it for the work of
 * others.
 */
const WAITING_SUBJECTS = 20;

/**
 * A message of events that is being recorded counts for this many of those subjects. It may have more, but a source whose
 * messages lead to no aggregation should not wait for itself.
 */
const SUBJECTS_OF_MESSAGE = 5;

/**
 * The waiting events of one token: three of the largest requests, and seconds of work. The file holds at most this
 * times the number of tokens, and no token can use the share of another.
 */
export const WAITING_EVENTS: TenantBound = { messages: 10_000, bytes: 32 * 1024 * 1024 };

/** The kept dead letters of one source: enough to find the problem, and sixteen of the largest. */
export const KEPT_LETTERS: TenantBound = { messages: 100, bytes: 16 * 1024 * 1024 };

/** How long a received message is invisible. It is twice as long as an invocation may last. */
export const VISIBILITY_SECONDS = 60;
/** With waits of up to a minute between deliveries, this is more than three hours of an unavailable API server. */
const MAX_RECEIVES = 200;
/**
 * Longer than redriving takes at most, so that messages that it has seen and left are not delivered again meanwhile.
 */
const DEAD_VISIBILITY_SECONDS = 360;

/**
 * The thread that decodes events does everything but aggregate. It takes about 10 ms for 1 MiB of the memory that events take, so
 * a source whose messages are expensive gets some 4 % of it while others are active, and one with small messages eight times as much.
 */
const EVENT_COST: DebtRate = { perSecond: 4 * 1024 * 1024, burst: 1024 * 1024 };

const MIB = 1024 * 1024;
const LEAST_TIMES = 1 / 8;
const MOST_TIMES = 4;

/**
 * What a source pays for a message of events, in bytes. An expensive message keeps the thread for longer, so it delays more messages
 * of others, and each for longer. Therefore the price grows with the fourth power of what the message takes: n MiB cost n⁴ MiB, but at
 * least n eighths and at most four times n. If messages of a few dozen usual events, half a MiB, cost more, sources that are all busy
 * would wait for their rates while the processor has nothing to do.
 *
 * A WDS speaks for many users, and one of them must not hold back the others. Therefore a WDS has its rate also while there is no
 * time to spare.
 *
 * @param group the group of the source's messages
 * @param bytes the body of the message and the memory of its events
 */
export function priceOfMessage(group: string, bytes: number): number {
  const price = bytes * Math.min(MOST_TIMES, Math.max(LEAST_TIMES, (bytes / MIB) ** 3));
  return group.startsWith(WDS_GROUP) ? price * LEAST_SHARE : price;
}

/** Only the queue of events holds messages from other processes. */
const EVENTS = {
  cost: EVENT_COST,
  feeds: { name: 'dirty', groups: WAITING_SUBJECTS, perTurn: SUBJECTS_OF_MESSAGE },
  accepts: WAITING_EVENTS,
  deadLetterKeeps: KEPT_LETTERS,
} as const;

/** Opens the queues in a database. */
export function openQueues(database: SqliteDatabase): LocalQueues {
  // A subject is aggregated, then its results are written: two steps of the same work.
  const inFlight = new TenantsInFlight();
  const queue = (name: QueueName): SqliteMessageQueue =>
    createSqliteMessageQueue(database, {
      name,
      // What is not of the queue but of its poller (`concurrency`) is ignored.
      ...QUEUES[name],
      visibilityTimeoutSeconds: VISIBILITY_SECONDS,
      maxReceiveCount: MAX_RECEIVES,
      clock: Date.now,
      deadLetterQueue: `${name}-dlq`,
      ...(name === 'events' ? { ...EVENTS, rateClock: spareTimeClock() } : {}),
      ...(name === 'dirty' || name === 'hints' ? { inFlight } : {}),
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
    notifications: queue('notifications'),
    'events-dlq': deadLetterQueue('events'),
    'dirty-dlq': deadLetterQueue('dirty'),
    'hints-dlq': deadLetterQueue('hints'),
    'notifications-dlq': deadLetterQueue('notifications'),
  };
}

/** The route from each dead-letter queue back to its queue. */
export function redriveRoutes(queues: LocalQueues): readonly RedriveRoute[] {
  // These are the names of the object above.
  const names = Object.keys(QUEUES) as QueueName[];
  return names.map((name) => ({ name, queue: queues[name], deadLetters: queues[`${name}-dlq`] }));
}
