import { type RedrivableQueue, type Redrive, redriveOf } from '#shared/messages/redrive.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';

/** A queue, and its dead-letter queue. */
export interface RedriveRoute {
  readonly name: RedrivableQueue;
  readonly deadLetters: MessageQueue;
  readonly queue: MessageQueue;
}

/** What redriving needs from outside. */
export interface RedriveDeps {
  readonly routes: readonly RedriveRoute[];
  /**
   * The principal with which this process sends. record-events accepts redriven messages from it (`principalOf` of its
   * SenderId).
   */
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

type Staying = Extract<Redrive, { type: 'stay' }>['why'];

/** The outcome for one dead-letter queue. */
export interface RedriveOutcome {
  readonly queue: RedrivableQueue;
  /** The number of messages that were sent to their queue again. */
  readonly redriven: number;
  /** The number of messages that stay, by reason. */
  readonly stayed: Readonly<Partial<Record<Staying, number>>>;
  /** The error that ended the run early. There may then be more messages. */
  readonly error?: unknown;
}

const BATCH_SIZE = 10;
/** Long polling, because only then SQS asks all of its servers. So an empty answer means that there are no messages. */
const WAIT_SECONDS = 1;
/** A run ends before the timeout of its Lambda function, and before the messages that it has received are visible again. */
const LONGEST_MS = 200_000;
const MOST_MESSAGES = 10_000;

/** Redrives one dead-letter queue. */
class Run {
  redriven = 0;
  readonly stayed: Partial<Record<Staying, number>> = {};
  readonly #route: RedriveRoute;
  readonly #principal: string;
  /** The receipt handles of the messages that stay, by message. They are invisible until the run has ended. */
  readonly #staying = new Map<string, string>();

  constructor(route: RedriveRoute, principal: string) {
    this.#route = route;
    this.#principal = principal;
  }

  get seen(): number {
    return this.redriven + this.#staying.size;
  }

  /** Handles some messages. Returns false if it received no new ones. */
  async step(): Promise<boolean> {
    const { deadLetters, queue, name } = this.#route;
    const messages = await deadLetters.receive({ max: BATCH_SIZE, waitSeconds: WAIT_SECONDS });
    const fresh = messages.filter(({ messageId }) => !this.#staying.has(messageId));
    const going: OutgoingMessage[] = [];
    const gone: string[] = [];
    for (const message of messages) {
      const redrive = redriveOf(name, message, { principal: this.#principal });
      if (redrive.type === 'stay') this.#stay(message, redrive.why);
      else {
        going.push(redrive.message);
        gone.push(message.receiptHandle);
      }
    }
    if (going.length > 0) {
      // Send first: after a crash between the two calls, the messages exist twice, but none is lost.
      await queue.send(going);
      await deadLetters.delete(gone);
      this.redriven += going.length;
    }
    return fresh.length > 0;
  }

  #stay({ messageId, receiptHandle }: ReceivedMessage, why: Staying): void {
    if (!this.#staying.has(messageId)) this.stayed[why] = (this.stayed[why] ?? 0) + 1;
    this.#staying.set(messageId, receiptHandle);
  }

  /** Makes the messages that stay visible again, for operators. */
  async end(): Promise<void> {
    const handles = [...this.#staying.values()];
    if (handles.length > 0) await this.#route.deadLetters.changeVisibility(handles, 0);
  }
}

async function redriveRoute(deps: RedriveDeps, route: RedriveRoute): Promise<RedriveOutcome> {
  const run = new Run(route, deps.principal);
  const until = deps.clock() + LONGEST_MS;
  const outcome = () => ({ queue: route.name, redriven: run.redriven, stayed: run.stayed });
  try {
    while (run.seen < MOST_MESSAGES && deps.clock() < until && (await run.step()));
    await run.end();
    return outcome();
  } catch (error) {
    return { ...outcome(), error };
  }
}

/**
 * Sends dead letters again if they can be handled: their handling failed for an external cause, such as a WDS that was down for
 * a day (docs/architecture.md, section 6, invariant 3). If it fails again, the message returns to the dead-letter queue.
 *
 * Each queue is handled separately. If one fails, its error is in its outcome, and the others are redriven. If a message of a
 * FIFO queue stays, it blocks the later messages of its group that are not received together with it, as in every FIFO queue.
 */
export function redriveDeadLetters(deps: RedriveDeps): Promise<readonly RedriveOutcome[]> {
  return Promise.all(deps.routes.map((route) => redriveRoute(deps, route)));
}
