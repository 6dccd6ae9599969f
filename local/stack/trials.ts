import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { AnsweredMessages, Messages, Suspect, SuspectRules } from './suspects.ts';
import { WaitingSuspects } from './waiting-suspects.ts';

/** A queue that feeds a function. */
export interface PolledQueue extends MessageQueue {
  /**
   * Makes received messages visible again after a number of seconds, as if they had not been received. Without this method,
   * messages that were not tried count as failed.
   */
  giveBack?(receiptHandles: readonly string[], seconds: number): Promise<void>;
}

/** What trials are made of. */
interface TrialOptions {
  readonly queue: PolledQueue;
  readonly rules: SuspectRules;
  readonly answered: AnsweredMessages;
  /** One invocation, after which its messages are deleted or returned. */
  readonly invoke: (messages: Messages) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** The maximum number of suspects that wait. After a restart, most suspects are healthy, and a trial takes milliseconds. */
const MAX_WAITING = 100;
/** After this time, suspects for which there was no place may be received again. By then, healthy ones have left places. */
const NO_PLACE_SECONDS = 1;
const MS_PER_SECOND = 1_000;
/** Waiting suspects are hidden again after this part of their time. What is left is longer than a trial. */
const HIDDEN_AGAIN_AFTER = 1 / 4;

function handlesOf(suspects: readonly Suspect[]): readonly string[] {
  return suspects.flatMap(({ messages }) => messages.map(({ receiptHandle }) => receiptHandle));
}

/**
 * Tries suspects, each in an invocation of its own, and never two at a time. The invocation is in addition to those of the
 * poller. So any number of subjects that end their invocations take one thread, and none from other subjects.
 *
 * Suspects wait in memory ({@link WaitingSuspects} has their order). Those for which there is no place return to the queue,
 * untried.
 */
export class Trials {
  readonly rules: SuspectRules;
  readonly answered: AnsweredMessages;
  readonly #options: TrialOptions;
  readonly #waiting = new WaitingSuspects(MAX_WAITING);
  /** When the messages of a suspect were last hidden, in milliseconds. */
  readonly #hiddenMs = new WeakMap<Suspect, number>();
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: TrialOptions) {
    this.rules = options.rules;
    this.answered = options.answered;
    this.#options = options;
  }

  /** Takes received suspects. Returns before they are tried. If the queue fails, it is reported, and they are tried anyway. */
  async add(suspects: readonly Suspect[]): Promise<void> {
    if (suspects.length === 0) return;
    if (this.#isStopping) return this.#report(this.#return(suspects, 0));
    const left = this.#waiting.add(suspects);
    this.#running ??= this.#run();
    await this.#report(this.#settleIn(suspects, left));
  }

  /** Ends when no suspect waits any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Begins no more trials, returns the suspects that wait to the queue, and waits for the present trial. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#report(this.#return(this.#waiting.clear(), 0));
    await this.settled();
  }

  async #report(call: Promise<void>): Promise<void> {
    try {
      await call;
    } catch (error) {
      this.#options.onError(error);
    }
  }

  async #settleIn(suspects: readonly Suspect[], left: readonly Suspect[]): Promise<void> {
    await this.#return(left, NO_PLACE_SECONDS);
    // From here on, they no longer count as being handled in the turn of their tenant. Those whose trial has begun are hidden
    // by it, and those whose trial is over must not be hidden.
    await this.#hide(suspects.filter((suspect) => this.#waiting.has(suspect)));
  }

  async #return(suspects: readonly Suspect[], seconds: number): Promise<void> {
    const { queue } = this.#options;
    const handles = handlesOf(suspects);
    if (handles.length === 0) return;
    if (queue.giveBack === undefined) await queue.changeVisibility(handles, seconds);
    else await queue.giveBack(handles, seconds);
  }

  async #hide(suspects: readonly Suspect[]): Promise<void> {
    const { visibilitySeconds, clock } = this.rules;
    const nowMs = clock();
    if (suspects.length > 0)
      await this.#options.queue.changeVisibility(handlesOf(suspects), visibilitySeconds);
    for (const suspect of suspects) this.#hiddenMs.set(suspect, nowMs);
  }

  /** Whether the messages of a waiting suspect might become visible during a trial. */
  #mayAppear(suspect: Suspect): boolean {
    const { visibilitySeconds, clock } = this.rules;
    const hiddenMs = this.#hiddenMs.get(suspect) ?? Number.NEGATIVE_INFINITY;
    return clock() - hiddenMs >= visibilitySeconds * MS_PER_SECOND * HIDDEN_AGAIN_AFTER;
  }

  async #run(): Promise<void> {
    let next = this.#waiting.next();
    while (next !== undefined) {
      await this.#timed(next);
      next = this.#waiting.next();
    }
    this.#running = undefined;
  }

  async #timed(suspect: Suspect): Promise<void> {
    const { clock, visibilitySeconds } = this.rules;
    const fromMs = clock();
    // After a failure of the queue, the suspect is received again.
    await this.#report(this.#try(suspect));
    // The clock may be set meanwhile.
    const ms = Math.min(Math.max(clock() - fromMs, 0), visibilitySeconds * MS_PER_SECOND);
    this.#waiting.spend(suspect.tenant, ms);
  }

  async #try(suspect: Suspect): Promise<void> {
    const appearing = this.#waiting.all.filter((one) => this.#mayAppear(one));
    await this.#hide([suspect, ...appearing]);
    if (this.#isStopping) await this.#return([suspect], 0);
    else await this.#options.invoke(suspect.messages);
  }
}
