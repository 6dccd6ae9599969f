/** A server sends a bookmark each minute. One that is quiet for this long is not there any more. */
const QUIET_MS = 180_000;

/** Ends a watch of which nothing has been heard for too long: a connection may be dead without an error. */
export class QuietGuard {
  readonly #quiet = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Aborts when nothing was heard, or when the watch is ended. */
  readonly signal: AbortSignal;

  constructor(ended: AbortSignal) {
    this.signal = AbortSignal.any([ended, this.#quiet.signal]);
    this.#timer = setTimeout(() => this.#quiet.abort(), QUIET_MS);
  }

  heard(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
