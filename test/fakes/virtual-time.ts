/** Time that only passes when a test says so. Works with code that waits on nothing but promises and `sleep`. */
export class VirtualTime {
  #now: number;
  #timers: { readonly at: number; readonly end: () => void }[] = [];

  constructor(startMs = 0) {
    this.#now = startMs;
  }

  readonly clock = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = { at: this.#now + ms, end: resolve };
      this.#timers.push(timer);
      signal?.addEventListener(
        'abort',
        () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
          resolve();
        },
        { once: true },
      );
    });

  /** Lets everything run that needs no time. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Lets so much time pass, waking sleepers in their order. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (;;) {
      const next = this.#timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.at;
      next.end();
      await this.settle();
    }
    this.#now = end;
  }
}
