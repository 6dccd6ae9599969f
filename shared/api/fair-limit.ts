import { unlessAborted } from '#shared/concurrency.ts';

/** Who waits for something. */
export interface Reader {
  /** The authenticated name of the user. */
  readonly user: string;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/** Does something. The signal aborts when nobody waits for it any more. */
type Work<T> = (signal: AbortSignal) => Promise<T>;

type Waiting = Pick<SharedWork<unknown>, 'begin'>;

/** The part of a {@link FairLimit} that its work needs. */
interface Queues {
  add(user: string, work: Waiting): void;
  remove(user: string, work: Waiting): void;
}

/** Work that waits for its turn, is done, or has been done. Several readers, of several users, may wait for it. */
export class SharedWork<T> {
  readonly #queues: Queues;
  readonly #work: Work<T>;
  readonly #result = Promise.withResolvers<T>();
  readonly #nobody = new AbortController();
  /** How many readers of each user wait. */
  readonly #readers = new Map<string, number>();
  #state: 'waiting' | 'begun' | 'done' | 'abandoned' = 'waiting';

  constructor(queues: Queues, work: Work<T>) {
    this.#queues = queues;
    this.#work = work;
    // Each reader gets the failure. There may be none any more.
    this.#result.promise.catch(() => undefined);
  }

  /** What the work gives. It settles only if the work is done. */
  get result(): Promise<T> {
    return this.#result.promise;
  }

  /** Whether the work has not begun. */
  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Whether it will never have a result, because every reader left before there was one. */
  get isAbandoned(): boolean {
    return this.#state === 'abandoned';
  }

  /**
   * The result of the work. When the work waits, it waits in the queue of this user, too.
   *
   * @throws what the work throws; the reason of the signal when the reader leaves
   */
  async wait({ user, signal }: Reader): Promise<T> {
    signal.throwIfAborted();
    this.#readers.set(user, (this.#readers.get(user) ?? 0) + 1);
    if (this.isWaiting) this.#queues.add(user, this);
    try {
      return await unlessAborted(this.#result.promise, signal);
    } finally {
      this.#leave(user);
    }
  }

  #leave(user: string): void {
    const left = (this.#readers.get(user) ?? 1) - 1;
    if (left > 0) {
      this.#readers.set(user, left);
      return;
    }
    this.#readers.delete(user);
    this.#queues.remove(user, this);
    if (this.#readers.size > 0 || this.#state === 'done') return;
    this.#state = 'abandoned';
    this.#nobody.abort();
  }

  /** Does the work. Called once, when it is its turn. Never throws. */
  async begin(): Promise<void> {
    this.#state = 'begun';
    for (const user of this.#readers.keys()) this.#queues.remove(user, this);
    try {
      const result = await this.#work(this.#nobody.signal);
      this.#settle();
      this.#result.resolve(result);
    } catch (error) {
      this.#settle();
      this.#result.reject(error);
    }
  }

  #settle(): void {
    if (this.#state === 'begun') this.#state = 'done';
  }
}

/**
 * Lets a number of works go on at a time. The others wait, each in the queue of its user, and the users take turns: a user with many
 * works delays another one by one work for each turn.
 */
export class FairLimit {
  readonly #max: number;
  readonly #ofOneUser: number;
  #running = 0;
  /** How many works of each user go on. */
  readonly #runningOf = new Map<string, number>();
  /** What waits, by user. The first user has the next turn. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  readonly #queues: Queues = {
    add: (user, work) => this.#add(user, work),
    remove: (user, work) => this.#remove(user, work),
  };

  /**
   * @param max how many works go on at a time
   * @param ofOneUser how many of them may have begun in turns of one user
   */
  constructor(max: number, ofOneUser = max) {
    this.#max = max;
    this.#ofOneUser = ofOneUser;
  }

  /** Makes work that begins when a reader waits for it and it is the turn of a user who does. */
  share<T>(work: Work<T>): SharedWork<T> {
    return new SharedWork(this.#queues, work);
  }

  /**
   * Does work when it is the user's turn. If the reader leaves before, the work is never done.
   *
   * @throws what the work throws; the reason of the reader's signal
   */
  run<T>(reader: Reader, work: Work<T>): Promise<T> {
    return this.share(work).wait(reader);
  }

  #add(user: string, work: Waiting): void {
    const waiting = this.#waiting.get(user) ?? new Set();
    this.#waiting.set(user, waiting.add(work));
    this.#goOn();
  }

  #remove(user: string, work: Waiting): void {
    const waiting = this.#waiting.get(user);
    waiting?.delete(work);
    if (waiting?.size === 0) this.#waiting.delete(user);
  }

  #goOn(): void {
    while (this.#running < this.#max) {
      const next = this.#next();
      if (next === undefined) return;
      const { user, work } = next;
      this.#count(user, 1);
      void work.begin().then(() => {
        this.#count(user, -1);
        this.#goOn();
      });
    }
  }

  #count(user: string, change: 1 | -1): void {
    this.#running += change;
    const running = this.#of(user) + change;
    if (running === 0) this.#runningOf.delete(user);
    else this.#runningOf.set(user, running);
  }

  #of(user: string): number {
    return this.#runningOf.get(user) ?? 0;
  }

  /** The first work of the user whose turn it is. The user is the last one afterwards. */
  #next(): { readonly user: string; readonly work: Waiting } | undefined {
    for (const [user, waiting] of this.#waiting) {
      if (this.#of(user) >= this.#ofOneUser) continue;
      this.#waiting.delete(user);
      this.#waiting.set(user, waiting);
      for (const work of waiting) return { user, work };
    }
    return undefined;
  }
}
