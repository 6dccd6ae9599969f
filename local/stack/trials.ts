import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { Messages, Suspect, SuspectRules } from './suspects.ts';

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
  /** One invocation, after which its messages are deleted or returned. */
  readonly invoke: (messages: Messages) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** The maximum number of suspects that wait: as many as one receive may bring. */
const MAX_WAITING = 10;
/** After this time, suspects for which there was no place may be received again. */
const NO_PLACE_SECONDS = 5;

function handlesOf(suspects: readonly Suspect[]): readonly string[] {
  return suspects.flatMap(({ messages }) => messages.map(({ receiptHandle }) => receiptHandle));
}

/** A suspect that is known, or that was received more often, is more likely to end its invocation. */
function bySuspicion(a: Suspect, b: Suspect): number {
  return Number(a.isKnown) - Number(b.isKnown) || a.receives - b.receives;
}

/**
 * Tries suspects, each in an invocation of its own, and never two at a time. The invocation is in addition to those of the
 * poller. So any number of subjects that end their invocations take one thread, and none from other subjects.
 *
 * Tenants take turns. Within a tenant, the suspect that is least likely to end its invocation is next. Suspects wait in
 * memory; if more than {@link MAX_WAITING} wait, those of the tenant with the most of them return to the queue, untried.
 */
export class Trials {
  readonly rules: SuspectRules;
  readonly #options: TrialOptions;
  /** The waiting suspects of each tenant. The tenant whose turn it is comes first. */
  readonly #lines = new Map<string, Suspect[]>();
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: TrialOptions) {
    this.rules = options.rules;
    this.#options = options;
  }

  /** Takes received suspects. Returns before they are tried. If the queue fails, it is reported, and they are tried anyway. */
  async add(suspects: readonly Suspect[]): Promise<void> {
    if (suspects.length === 0) return;
    for (const suspect of suspects) {
      const line = this.#lines.get(suspect.tenant) ?? [];
      // A stable sort, so that those of equal suspicion stay in their order.
      this.#lines.set(suspect.tenant, [...line, suspect].sort(bySuspicion));
    }
    const left = this.#leftOut();
    this.#running ??= this.#run();
    try {
      await this.#return(left);
      // From here on, they no longer count as being handled in the turn of their tenant.
      await this.#hide(suspects.filter((suspect) => !left.includes(suspect)));
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Ends when no suspect waits any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Waits for the present trial. Suspects that still wait become visible when their time in the queue is over. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.settled();
  }

  get #waiting(): readonly Suspect[] {
    return [...this.#lines.values()].flat();
  }

  /** Removes those for which there is no place: each time the last one of the tenant with the most. */
  #leftOut(): readonly Suspect[] {
    const left: Suspect[] = [];
    while (this.#waiting.length > MAX_WAITING) {
      const [longest] = [...this.#lines.values()].sort((a, b) => b.length - a.length);
      left.push(...(longest?.splice(-1) ?? []));
    }
    return left;
  }

  async #return(suspects: readonly Suspect[]): Promise<void> {
    const { queue } = this.#options;
    const handles = handlesOf(suspects);
    if (handles.length === 0) return;
    if (queue.giveBack === undefined) await queue.changeVisibility(handles, NO_PLACE_SECONDS);
    else await queue.giveBack(handles, NO_PLACE_SECONDS);
  }

  async #hide(suspects: readonly Suspect[]): Promise<void> {
    const { queue, rules } = this.#options;
    if (suspects.length > 0)
      await queue.changeVisibility(handlesOf(suspects), rules.visibilitySeconds);
  }

  #next(): Suspect | undefined {
    for (const [tenant, line] of this.#lines) {
      const next = line.shift();
      this.#lines.delete(tenant);
      if (line.length > 0) this.#lines.set(tenant, line);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  async #run(): Promise<void> {
    let next = this.#next();
    while (next !== undefined) {
      await this.#try(next);
      next = this.#isStopping ? undefined : this.#next();
    }
    this.#running = undefined;
  }

  /** After a failure of the queue, the suspect is received again. */
  async #try(suspect: Suspect): Promise<void> {
    try {
      // The trials before this one have used some of the time in which no poller receives these messages.
      await this.#hide([suspect, ...this.#waiting]);
      await this.#options.invoke(suspect.messages);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
