/** At least so long passes between two readings, in milliseconds. */
export const PAUSE_MS = 10_000;
/** A pause is so many times as long as the reading before: however many WECs there are, reading them is a small part of the time. */
const PAUSES_A_READING = 20;
/** At most so long passes, in milliseconds. */
const MAX_PAUSE_MS = 120_000;

/** What a {@link Poller} needs. */
export interface PollerOptions {
  /** Reads once. It handles its own failures. Aborted when nobody is interested any more. */
  readonly read: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** Calls back once after some milliseconds, unless the returned function is called. */
  readonly after: (ms: number, callback: () => void) => () => void;
}

/** Reads now and then, one reading at a time, as long as somebody can see the result. */
export class Poller {
  readonly #options: PollerOptions;
  #isVisible = false;
  #isReading = false;
  /** Whether something has changed during a reading, so that it does not count. */
  #isOutdated = false;
  #cancel: (() => void) | undefined;
  readonly #gone = new AbortController();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** The page is seen, or is not seen. When it is seen again, it is read at once. */
  setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    this.#cancel?.();
    this.#cancel = undefined;
    if (isVisible) this.refresh();
  }

  /** Something has changed: reads now, or again after the reading that goes on. */
  refresh(): void {
    this.#isOutdated = this.#isReading;
    if (this.#isVisible && !this.#isReading) void this.#run();
  }

  /** Nobody is interested any more. */
  stop(): void {
    this.#isVisible = false;
    this.#cancel?.();
    this.#gone.abort();
  }

  async #run(): Promise<void> {
    const { read, now, after } = this.#options;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isReading = true;
    const started = now();
    await read(this.#gone.signal);
    const took = now() - started;
    this.#isReading = false;
    if (!this.#isVisible) return;
    if (this.#isOutdated) {
      this.#isOutdated = false;
      void this.#run();
      return;
    }
    const pause = Math.min(Math.max(PAUSE_MS, took * PAUSES_A_READING), MAX_PAUSE_MS);
    this.#cancel = after(pause, () => void this.#run());
  }
}
