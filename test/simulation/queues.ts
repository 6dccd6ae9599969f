import { type RedriveRoute, redriveDeadLetters } from '#functions/sweep-stale/redrive.ts';
import type { MessageCounts } from '#shared/adapters/sqlite/message-table.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { Scheduler } from './scheduler.ts';

const FED = { events: false, dirty: true, hints: true, notifications: true } as const;
export type QueueName = keyof typeof FED;
const NAMES: readonly QueueName[] = ['events', 'dirty', 'hints', 'notifications'];

export const VISIBILITY_SECONDS = 30;
/** Who sends as the function that redrives, and what record-events believes. */
export const REDRIVER = 'AROASWEEP';

/** Who sends for a source. */
export function principalFor({ type, name }: EventSource): string {
  return `AROA-${type}-${name}`;
}

/** A queue of a simulated world. */
export interface SimulatedQueue extends MessageQueue {
  /** The queue as one sender sees it. */
  sentBy(senderId: string): MessageQueue;
  counts(): Promise<MessageCounts>;
}

/** The queues of a simulated world: those that feed functions, and the dead-letter queue of each. */
export type Queues = Readonly<Record<QueueName | `${QueueName}-dlq`, SimulatedQueue>>;

/** The queues of a world as `make` makes them: each that feeds a function after the dead-letter queue that it has. */
export function eachQueue<Queue>(
  make: (name: string, fifo: boolean, deadLetters?: Queue) => Queue,
): Readonly<Record<keyof Queues, Queue>> {
  const pair = (name: QueueName): { readonly fed: Queue; readonly dead: Queue } => {
    const dead = make(`${name}-dlq`, FED[name]);
    return { fed: make(name, FED[name], dead), dead };
  };
  const [events, dirty, hints] = [pair('events'), pair('dirty'), pair('hints')];
  const notifications = pair('notifications');
  return {
    events: events.fed,
    dirty: dirty.fed,
    hints: hints.fed,
    notifications: notifications.fed,
    'events-dlq': events.dead,
    'dirty-dlq': dirty.dead,
    'hints-dlq': hints.dead,
    'notifications-dlq': notifications.dead,
  };
}

/** What waits for functions or is with them. */
export interface Backlog {
  readonly messages: number;
  /** The queues in which something may be received. */
  readonly visible: ReadonlySet<QueueName>;
}

/** The backlog of the queues that feed functions. */
export async function backlogOf(queues: Queues): Promise<Backlog> {
  let messages = 0;
  const filled = new Set<QueueName>();
  for (const name of NAMES) {
    const { visible, inFlight, delayed } = await queues[name].counts();
    messages += visible + inFlight + delayed;
    if (visible > 0) filled.add(name);
  }
  return { messages, visible: filled };
}

/** Redrives step by step; how many messages went back. */
export async function redriveStepped(
  scheduler: Scheduler,
  { queues, names }: { readonly queues: Queues; readonly names: readonly QueueName[] },
  /** A queue as the process sees it. */
  seen: (queue: MessageQueue, name: QueueName) => MessageQueue,
): Promise<number> {
  const routes = names.map((name): RedriveRoute => {
    const sending = queues[name].sentBy(`${REDRIVER}:sweep-stale`);
    return {
      name,
      queue: seen(sending, name),
      deadLetters: seen(queues[`${name}-dlq`], name),
    };
  });
  const clock = (): number => scheduler.now;
  const outcomes = await redriveDeadLetters({ routes, principal: REDRIVER, clock });
  return outcomes.reduce((sum, { redriven }) => sum + redriven, 0);
}
