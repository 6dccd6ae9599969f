import { TOO_MANY, TOO_MANY_OF_TOKEN, TURN_OVER } from './messages.ts';
import { Refusal } from './refusal.ts';

/** How many requests are read concurrently, and how long others wait. */
export interface AdmissionLimits {
  readonly requests: number;
  /** The maximum for one token, so that a source that floods or is slow leaves room for the others. */
  readonly requestsOfToken: number;
  /** At most this many requests of one token wait. A further request is rejected immediately, and has to be retried. */
  readonly waitingOfToken: number;
  /** The maximum time that a request waits, in milliseconds. */
  readonly waitMs: number;
  /** How long a slot cannot be revoked, in milliseconds, if a token without a slot is waiting. */
  readonly turnMs: number;
}

/** A slot among the requests that are being read. */
export interface Slot {
  /** Aborts with a Refusal if the slot is revoked. */
  readonly signal: AbortSignal;
  /** From now on, the slot is not revoked, because the request is being stored. */
  keep(): void;
  /** Must be called once, when the request is done. */
  leave(): void;
}

interface Held {
  readonly since: number;
  readonly taking: AbortController;
  isKept: boolean;
}

interface Waiting {
  readonly admit: (slot: Slot) => void;
}

function tooMany(): Refusal {
  return new Refusal(503, TOO_MANY, { 'retry-after': '1' });
}

/** Of one token, so its connection ends. */
export function tooManyRequests(): Refusal {
  return new Refusal(503, TOO_MANY_OF_TOKEN, { 'retry-after': '1', connection: 'close' });
}

function takenBack(): Refusal {
  return new Refusal(503, TURN_OVER, { 'retry-after': '1', connection: 'close' });
}

/**
 * Decides which requests are read, which wait, and which must be retried. A token gets another slot while it has fewer
 * slots than are free, so its share shrinks as the slots fill. A request without a slot waits in the line of its
 * token. Of the waiting tokens, the one with the fewest slots is next. Of several, the one that has waited longest for
 * its turn is. If all slots are taken and a token without a slot is waiting, the token with the most slots loses its
 * oldest slot, if it has had that slot for its turn. Therefore, every token gets a slot within that time, regardless
 * of how many others flood or are slow.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #held = new Map<string, Set<Held>>();
  /** By token, in the order of their turns. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #total = 0;
  #taking: NodeJS.Timeout | undefined;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  #own(owner: string): number {
    return this.#held.get(owner)?.size ?? 0;
  }

  #hasSlot(owner: string): boolean {
    const { requests, requestsOfToken } = this.#limits;
    const own = this.#own(owner);
    return own < requestsOfToken && own < requests - this.#total;
  }

  /**
   * Admits a request, possibly after a wait.
   *
   * @param owner the owner of its token
   * @param gone aborts when its sender has disconnected
   * @throws Refusal with 503 if too many requests of the token are waiting, no slot has become free in time, or the
   *   sender has disconnected
   */
  async enter(owner: string, gone: AbortSignal): Promise<Slot> {
    if (!this.#lines.has(owner) && this.#hasSlot(owner)) return this.#admit(owner);
    const line = this.#lines.get(owner) ?? new Set<Waiting>();
    if (line.size >= this.#limits.waitingOfToken) throw tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const waiting: Waiting = { admit: resolve };
    const giveUp = (): void => reject(tooMany());
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

  #admit(owner: string): Slot {
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

  /** The token whose request is admitted next. */
  #next(): string | undefined {
    const waiting = [...this.#lines.keys()].filter((owner) => this.#hasSlot(owner));
    return waiting.sort((a, b) => this.#own(a) - this.#own(b))[0];
  }

  #serve(owner: string): void {
    const line = this.#lines.get(owner);
    const [first] = line ?? [];
    if (line === undefined || first === undefined) return;
    this.#leaveLine(owner, first);
    // Moves to the end of the waiting tokens.
    this.#lines.delete(owner);
    if (line.size > 0) this.#lines.set(owner, line);
    first.admit(this.#admit(owner));
  }

  /** The slot that is revoked next: of those that can be revoked, the oldest of the token with the most slots. */
  #nextTaken(): Held | undefined {
    const [most] = [...this.#held.values()].sort((a, b) => b.size - a.size);
    return [...(most ?? [])].find(({ isKept }) => !isKept);
  }

  /** Ensures that a token without a slot gets one in time. */
  #takeBack(): void {
    clearTimeout(this.#taking);
    const isStarving = [...this.#lines.keys()].some((owner) => this.#own(owner) === 0);
    const held = isStarving ? this.#nextTaken() : undefined;
    // Slots are revoked one at a time. A revoked slot is left soon, and then this is checked again.
    if (held === undefined || held.taking.signal.aborted) return;
    const left = held.since + this.#limits.turnMs - performance.now();
    this.#taking = setTimeout(() => held.taking.abort(takenBack()), Math.max(left, 0));
    this.#taking.unref();
  }
}
