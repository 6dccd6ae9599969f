import { type RedrivableQueue, type Redrive, redriveOf } from '#shared/messages/redrive.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';

/** A queue and the one that its messages move to when their handling keeps failing. */
export interface RedriveRoute {
  readonly name: RedrivableQueue;
  readonly deadLetters: MessageQueue;
  readonly queue: MessageQueue;
}

/** What redriving needs of the world. */
export interface RedriveDeps {
  readonly routes: readonly RedriveRoute[];
  /** The principal that this process sends as: record-events believes it (`principalOf` of its SenderId). */
  readonly principal: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

type Staying = Extract<Redrive, { type: 'stay' }>['why'];

/** What became of the messages of one dead-letter queue. */
export interface RedriveOutcome {
  readonly queue: RedrivableQueue;
  /** How many went back. */
  readonly redriven: number;
  /** How many stay, by the reason. */
  readonly stayed: Readonly<Partial<Record<Staying, number>>>;
  /** What ended the run early: then there may be more. */
  readonly error?: unknown;
}

const BATCH_SIZE = 10;
/** Long polling: only then SQS asks all of its servers, so that an empty answer says that there is nothing. */
const WAIT_SECONDS = 1;
/** A run ends before its Lambda function is ended, and before what it has seen is visible again by itself. */
const LONGEST_MS = 200_000;
const MOST_MESSAGES = 10_000;

/** Redrives one dead-letter queue. */
class Run {
  redriven = 0;
  readonly stayed: Partial<Record<Staying, number>> = {};
  readonly #route: RedriveRoute;
  readonly #principal: string;
  /** Receipt handles of what stays, by message: it is invisible until the run is over. */
  readonly #staying = new Map<string, string>();

  constructor(route: RedriveRoute, principal: string) {
    this.#route = route;
    this.#principal = principal;
  }

  get seen(): number {
    return this.redriven + this.#staying.size;
  }

  /** Deals with some messages; false when there is nothing that has not been seen yet. */
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
      // In this order: a crash between the two has them twice, and nothing is lost.
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

  /** Makes what stays visible again, for whoever looks at it. */
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
 * Sends back what lies in the dead-letter queues and can be handled: its handling failed for a cause outside of it, such
 * as a WDS that was down for a day (docs/architecture.md, section 6, invariant 3). What fails again comes here again.
 *
 * Each queue by itself: what goes wrong with one is in its outcome, and does not keep the others from theirs. A message of
 * a FIFO queue that stays holds up those of its group that are not received together with it, as FIFO queues do.
 */
export function redriveDeadLetters(deps: RedriveDeps): Promise<readonly RedriveOutcome[]> {
  return Promise.all(deps.routes.map((route) => redriveRoute(deps, route)));
}
