/** Believes that something is gone only after some time: an API server that has just started does not serve everything. */
export class Grace {
  readonly #clock: () => number;
  readonly #ms: number;
  readonly #since = new Map<string, number>();

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Of those that are missing now, the ones that have not been so for long. */
  recent(missing: ReadonlySet<string>): ReadonlySet<string> {
    const now = this.#clock();
    for (const name of [...this.#since.keys()]) if (!missing.has(name)) this.#since.delete(name);
    for (const name of missing) if (!this.#since.has(name)) this.#since.set(name, now);
    const recent = [...this.#since].filter(([, since]) => now - since < this.#ms);
    return new Set(recent.map(([name]) => name));
  }

  /** Begins anew: nothing can be said of the time that has passed. */
  reset(): void {
    this.#since.clear();
  }
}
