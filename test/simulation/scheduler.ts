/** Deterministic randomness: the same seed gives the same numbers. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to `bound - 1`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }
}

/** Something that runs in the simulated world and can be killed between any two of its calls. */
export interface Actor {
  readonly name: string;
  alive: boolean;
  /** Until so many steps of the world it is slow: others go first. */
  stalledUntil?: number;
}

interface Pending {
  readonly actor: Actor;
  readonly label: string;
  /** Absent: as soon as it is picked. */
  readonly at: number;
  readonly resume: () => void;
}

const STEPS_PER_LOOP = 1_000;

/**
 * The scheduler of the simulated world: every call to the outside waits for its turn; whose turn it is, and whether the
 * caller dies before it, comes from the seed alone.
 */
export class Scheduler {
  readonly random: Random;
  /** Virtual time, in milliseconds since the epoch. */
  now = Date.UTC(2026, 0, 1);
  steps = 0;
  readonly trace: string[] = [];
  #pending: Pending[] = [];
  /** The last call of real I/O, and how many have not ended. */
  #last: Promise<unknown> = Promise.resolve();
  #outside = 0;
  /** How often a call finds its actor stalled: slow ones are what races are made of. */
  readonly #stalls: number;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.#stalls = this.random.pick([0, 0.01, 0.05]);
  }

  /** Waits for the actor's turn. Never returns to a dead actor. */
  step(actor: Actor, label: string, delayMs = 0): Promise<void> {
    return new Promise((resume) => {
      if (!actor.alive) return;
      if (this.random.chance(this.#stalls))
        actor.stalledUntil = this.steps + this.random.below(150);
      this.#pending.push({ actor, label, at: this.now + delayMs, resume });
    });
  }

  /** Kills an actor: what it was about to do does not happen, or has happened unknown to it. */
  kill(actor: Actor): void {
    actor.alive = false;
    this.#pending = this.#pending.filter((pending) => pending.actor !== actor);
  }

  /** How many calls wait for their turn now. */
  get ready(): number {
    return this.#pending.filter(({ at }) => at <= this.now).length;
  }

  /** Whether anything waits at all. */
  get idle(): boolean {
    return this.#pending.length === 0;
  }

  /** Makes a call of real I/O after all those before it: they end before anybody gets the next turn. */
  async outside<T>(call: () => Promise<T>): Promise<T> {
    this.#outside += 1;
    const result = this.#last.then(call);
    this.#last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.#outside -= 1;
    }
  }

  /** Lets everything run that can run without another turn. */
  async #settle(): Promise<void> {
    await microtasks();
    while (this.#outside > 0) {
      await this.#last;
      await microtasks();
    }
  }

  /** Gives one waiting call its turn; false when none is due. */
  async advance(): Promise<boolean> {
    if (this.#outside > 0) await this.#settle();
    const due = this.#pending.filter(({ at }) => at <= this.now);
    if (due.length === 0) return false;
    const brisk = due.filter(({ actor }) => (actor.stalledUntil ?? 0) <= this.steps);
    const chosen = this.random.pick(brisk.length > 0 ? brisk : due);
    this.#pending.splice(this.#pending.indexOf(chosen), 1);
    this.steps += 1;
    this.trace.push(`${this.now} ${chosen.actor.name}: ${chosen.label}`);
    chosen.resume();
    await this.#settle();
    if (this.steps % STEPS_PER_LOOP === 0) await eventLoop();
    return true;
  }

  /** Lets virtual time pass: to the next call that waits for its time, or by `ms`. */
  pass(ms: number): void {
    this.now += ms;
  }
}

/** Until no promise has anything to do: a tick comes after the microtasks, and needs no turn of the event loop. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Lets the event loop turn, which ends a test that takes too long. */
function eventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
