import { setTimeout as delay } from 'node:timers/promises';

/** Work that takes longer is followed by a pause. */
const QUICK_MS = 20;
/** Work that takes longer delays all that this process does. */
const LONG_MS = 50;

/** How long a pause is: long work gets a twentieth of the thread, and shorter work a quarter. */
function pauseMs(took: number): number {
  if (took <= QUICK_MS) return 0;
  return took * (took <= LONG_MS ? 3 : 19);
}

/**
 * The turn of what an API server returns in the one thread that parses it. The API server decides how long that takes, so long work is
 * followed by a pause that leaves the rest of the process its turn.
 */
export class ThreadTurn {
  readonly #signal: AbortSignal | undefined;
  readonly #clock: () => number;
  #began: number;

  /** @param clock milliseconds since any time. Default: the clock of the process */
  constructor(signal: AbortSignal | undefined, clock = () => performance.now()) {
    this.#signal = signal;
    this.#clock = clock;
    this.#began = clock();
  }

  /** Begins the turn, after a wait for something else. */
  begin(): void {
    this.#began = this.#clock();
  }

  /** Pauses if the turn has taken long, until the pause is over or the signal aborts. Then the next turn begins. */
  async pause(): Promise<void> {
    const pause = pauseMs(this.#clock() - this.#began);
    if (pause === 0) return;
    await delay(pause, undefined, { signal: this.#signal }).catch(() => undefined);
    this.begin();
  }
}
