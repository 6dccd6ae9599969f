import { Refusal } from './refusal.ts';

/** How many requests are read at once. */
export interface AdmissionLimits {
  readonly requests: number;
  /** Of one token: a source that floods or dawdles leaves room for the others. */
  readonly requestsOfToken: number;
}

/**
 * Says which requests are read, and which have to come again. A token gets one more place while it has fewer than are
 * free, so its share shrinks as the places fill: one that has none gets the last one, and nobody else does.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  #hasPlace(own: number): boolean {
    const { requests, requestsOfToken } = this.#limits;
    return own < requestsOfToken && own < requests - this.#total;
  }

  /**
   * Lets a request in.
   *
   * @param owner whose token it has
   * @returns to be called once, when it is done
   * @throws Refusal with 503 where there are too many.
   */
  enter(owner: string): () => void {
    const own = this.#counts.get(owner) ?? 0;
    if (!this.#hasPlace(own))
      throw new Refusal(503, 'too many requests at once: send it again', { 'retry-after': '1' });
    this.#total += 1;
    this.#counts.set(owner, own + 1);
    return () => {
      this.#total -= 1;
      const left = (this.#counts.get(owner) ?? 1) - 1;
      if (left === 0) this.#counts.delete(owner);
      else this.#counts.set(owner, left);
    };
  }
}
