/** How long a watch lasts. */
export interface WatchTimes {
  /** The server is asked to end a watch after so many seconds, chosen between the two. */
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** A watch that the server has not ended so long after that time is taken for dead. */
  readonly graceMs: number;
  /**
   * A watch in which the server has said nothing for so long is taken for dead, up to a tenth later. API servers send a
   * bookmark about every minute, the first one within two. Where none are sent (as for Events, which API servers do not
   * cache), a watch of a quiet resource lasts no longer than this.
   */
  readonly idleMs: number;
  /** A number from 0 up to 1: spreads the ends of many watches. */
  readonly random: () => number;
}

/** The idle time is counted in so many ticks: one that is late, because this process was busy, counts once. */
const TICKS = 10;

/** Ends a watch whose server is dead behind a connection that still stands. */
export class WatchGuard {
  /** What the server is asked for. */
  readonly timeoutSeconds: number;
  readonly #dead = new AbortController();
  readonly #times: WatchTimes;
  #silentTicks = 0;
  #ticking: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(times: WatchTimes) {
    const spread = times.random() * (times.maxSeconds - times.minSeconds);
    this.timeoutSeconds = Math.floor(times.minSeconds + spread);
    this.#times = times;
  }

  /** Aborts when the watch is taken for dead; its reason is a text. */
  get signal(): AbortSignal {
    return this.#dead.signal;
  }

  /** The server has accepted the watch: from now on it is guarded. */
  start(): void {
    const { graceMs, idleMs } = this.#times;
    this.#ticking = setInterval(() => this.#tick(), idleMs / TICKS);
    this.#deadline = setTimeout(
      () => this.#dead.abort('the server did not end the watch: taken for dead'),
      this.timeoutSeconds * 1000 + graceMs,
    );
  }

  /** The server has said something. */
  heard(): void {
    this.#silentTicks = 0;
  }

  /** The watch has ended. */
  stop(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#deadline);
  }

  #tick(): void {
    this.#silentTicks += 1;
    // The first tick may have come right after the last word.
    if (this.#silentTicks > TICKS)
      this.#dead.abort(`nothing heard for ${this.#times.idleMs / 1000} s: taken for dead`);
  }
}
