import { Random } from './scheduler.ts';

/** How often an answer is lost after the request took effect, from 0 to 1, and the seed of the chance. */
export interface Losses {
  readonly seed: number;
  /** Of a put. */
  readonly puts: number;
  /** Of a send to a standard queue, which takes the repetition for another message. */
  readonly standard: number;
  /** Of a send to a FIFO queue. */
  readonly fifo: number;
}

/** Chooses requests of which the answer is lost. */
export class Loser {
  /** How many answers have been lost. */
  lost = 0;
  #next = 0;
  #random = new Random(0);

  /** What is chosen from now on comes from this seed. */
  restart(seed: number): void {
    this.#random = new Random(seed);
  }

  /** Whether the call made now is one of those. */
  chooses(probability: number): boolean {
    return this.#random.chance(probability);
  }

  /** Of the next request that `takes` is asked about the answer is lost. */
  loseNext(): void {
    this.#next += 1;
  }

  /** Whether the answer to this request is lost. */
  takes(): boolean {
    if (this.#next === 0) return false;
    this.#next -= 1;
    this.lost += 1;
    return true;
  }
}
