import { nothingReceived, WATCH_NOT_ENDED } from './messages.ts';

/** The duration of a watch. */
export interface WatchTimes {
  /** The server is asked to end a watch after a random number of seconds between the two. */
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** If the server has not ended the watch this long after that time, the connection counts as dead. */
  readonly graceMs: number;
  /**
   * If the server has sent nothing for this long, or up to a tenth longer, the connection counts as dead. API servers send a
   * bookmark about every minute, and the first one within two. If they send none (as for Events, which they do not cache), a
   * watch of a quiet resource lasts no longer than this.
   */
  readonly idleMs: number;
  /** Returns a number from 0 to less than 1. It spreads the ends of many watches. */
  readonly random: () => number;
}

/** The idle time is counted in ticks. A tick that is late because this process was busy counts once. */
const TICKS = 10;

/** Ends a watch if its server is dead but the connection is still open. */
export class WatchGuard {
  /** The duration that the server is asked for. */
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

  /** Aborts if the connection counts as dead. The reason is a text. */
  get signal(): AbortSignal {
    return this.#dead.signal;
  }

  /** Starts to guard the watch, after the server has accepted it. */
  start(): void {
    const { graceMs, idleMs } = this.#times;
    this.#ticking = setInterval(() => this.#tick(), idleMs / TICKS);
    this.#deadline = setTimeout(
      () => this.#dead.abort(WATCH_NOT_ENDED),
      this.timeoutSeconds * 1000 + graceMs,
    );
  }

  /** Notes that the server has sent something. */
  heard(): void {
    this.#silentTicks = 0;
  }

  /** Ends the guard, after the watch has ended. */
  stop(): void {
    clearInterval(this.#ticking);
    clearTimeout(this.#deadline);
  }

  #tick(): void {
    this.#silentTicks += 1;
    // The first tick may come right after the last data.
    if (this.#silentTicks > TICKS) this.#dead.abort(nothingReceived(this.#times.idleMs / 1000));
  }
}
