import { Refusal } from './refusal.ts';

/** How many requests are read at once, and how long others wait for that. */
export interface AdmissionLimits {
  readonly requests: number;
  /** Of one token: a source that floods or dawdles leaves room for the others. */
  readonly requestsOfToken: number;
  /** So many requests of one token wait at most; the next one has to come again at once. */
  readonly waitingOfToken: number;
  /** How long a request waits at most, in milliseconds. */
  readonly waitMs: number;
  /** How long a place is sure, in milliseconds, when a token waits that has none. */
  readonly turnMs: number;
}

/** A place among the requests that are read. */
export interface Place {
  /** Aborts, with a Refusal, when the place is taken back. */
  readonly signal: AbortSignal;
  /** From now on it is not taken back: what was read is being stored. */
  keep(): void;
  /** To be called once, when the request is done. */
  leave(): void;
}

interface Held {
  readonly since: number;
  readonly taking: AbortController;
  isKept: boolean;
}

interface Waiting {
  readonly admit: (place: Place) => void;
}

function refusal(text: string): Refusal {
  return new Refusal(503, `${text}: send it again`, { 'retry-after': '1' });
}

function takenBack(): Refusal {
  const text = 'others wait, and this request has had its time: send it again';
  return new Refusal(503, text, { 'retry-after': '1', connection: 'close' });
}

/**
 * Says which requests are read, which wait, and which have to come again. A token gets one more place while it has fewer than
 * are free, so its share shrinks as the places fill. What gets none waits in the line of its token; of tokens that wait, the
 * one with the fewest places is next, and of these the one that has waited longest for its turn. When all places are taken
 * and a token waits that has none, the token with the most places loses the one that it has had longest, if it has had it
 * for its turn. So every token gets a place within that time, however many others flood or dawdle.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #held = new Map<string, Set<Held>>();
  /** By token, whose turn it is first. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #total = 0;
  #taking: NodeJS.Timeout | undefined;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  #own(owner: string): number {
    return this.#held.get(owner)?.size ?? 0;
  }

  #hasPlace(owner: string): boolean {
    const { requests, requestsOfToken } = this.#limits;
    const own = this.#own(owner);
    return own < requestsOfToken && own < requests - this.#total;
  }

  /**
   * Lets a request in, perhaps after a while.
   *
   * @param owner whose token it has
   * @param gone aborts when its sender has gone
   * @throws Refusal with 503 where too many of the token wait, or none has become free in time, or the sender has gone.
   */
  async enter(owner: string, gone: AbortSignal): Promise<Place> {
    if (!this.#lines.has(owner) && this.#hasPlace(owner)) return this.#admit(owner);
    const line = this.#lines.get(owner) ?? new Set<Waiting>();
    if (line.size >= this.#limits.waitingOfToken) throw refusal('too many requests at once');
    const { promise, resolve, reject } = Promise.withResolvers<Place>();
    const waiting: Waiting = { admit: resolve };
    const giveUp = (): void => reject(refusal('too many requests at once'));
    const timer = setTimeout(giveUp, this.#limits.waitMs);
    gone.addEventListener('abort', giveUp, { once: true });
    this.#lines.set(owner, line.add(waiting));
    this.#takeBack();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', giveUp);
      this.#leaveLine(owner, waiting);
    }
  }

  #leaveLine(owner: string, waiting: Waiting): void {
    const line = this.#lines.get(owner);
    if (line?.delete(waiting) && line.size === 0) this.#lines.delete(owner);
  }

  #admit(owner: string): Place {
    const held: Held = { since: performance.now(), taking: new AbortController(), isKept: false };
    this.#held.set(owner, (this.#held.get(owner) ?? new Set()).add(held));
    this.#total += 1;
    return {
      signal: held.taking.signal,
      keep: () => {
        held.isKept = true;
      },
      leave: () => {
        this.#leave(owner, held);
      },
    };
  }

  #leave(owner: string, held: Held): void {
    const own = this.#held.get(owner);
    if (!own?.delete(held)) return;
    if (own.size === 0) this.#held.delete(owner);
    this.#total -= 1;
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#serve(next);
    this.#takeBack();
  }

  /** The token whose request is admitted now. */
  #next(): string | undefined {
    const waiting = [...this.#lines.keys()].filter((owner) => this.#hasPlace(owner));
    return waiting.sort((a, b) => this.#own(a) - this.#own(b))[0];
  }

  #serve(owner: string): void {
    const line = this.#lines.get(owner);
    const [first] = line ?? [];
    if (line === undefined || first === undefined) return;
    this.#leaveLine(owner, first);
    // Behind the others that wait.
    this.#lines.delete(owner);
    if (line.size > 0) this.#lines.set(owner, line);
    first.admit(this.#admit(owner));
  }

  /** The place that is taken back next: of those that can be, the oldest of the token with the most. */
  #nextTaken(): Held | undefined {
    const [most] = [...this.#held.values()].sort((a, b) => b.size - a.size);
    return [...(most ?? [])].find(({ isKept }) => !isKept);
  }

  /** Sees to it that a token that has no place gets one in time. */
  #takeBack(): void {
    clearTimeout(this.#taking);
    const isStarving = [...this.#lines.keys()].some((owner) => this.#own(owner) === 0);
    const held = isStarving ? this.#nextTaken() : undefined;
    // One after the other: whose place is taken back leaves it soon, and then it is looked again.
    if (held === undefined || held.taking.signal.aborted) return;
    const left = held.since + this.#limits.turnMs - performance.now();
    this.#taking = setTimeout(() => held.taking.abort(takenBack()), Math.max(left, 0));
    this.#taking.unref();
  }
}
