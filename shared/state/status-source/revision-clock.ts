const MICROSECONDS = 1000;
/** Clocks of processes that answer for each other differ by less. */
const MAX_AHEAD = 60_000 * MICROSECONDS;

/**
 * The revisions of a store without a journal: the present time in microseconds, and always more than the revision before.
 *
 * Several processes may answer for one store, and their clocks differ. A client may therefore know a revision of another process
 * that is later than the present time here. It is noted, so that no answer to this client has an earlier one. What such a client has
 * read is known here as well, because every read is strongly consistent: the clocks only name the states.
 */
export class RevisionClock {
  readonly #clock: () => number;
  #last = 0;

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The revision of now. It is greater than all before. */
  now(): number {
    this.#last = Math.max(this.#last + 1, Math.floor(this.#clock() * MICROSECONDS));
    return this.#last;
  }

  /** Notes a revision that a client knows. A number of the far future is not a revision, and is not noted. */
  note(revision: number): void {
    if (revision <= this.#clock() * MICROSECONDS + MAX_AHEAD)
      this.#last = Math.max(this.#last, revision);
  }
}
