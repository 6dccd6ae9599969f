/**
 * Lets long computations take turns with everything else in the process. However many computations there are, only one of them goes
 * on before other requests do.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the caller may go on. */
  next(): Promise<void> {
    const turn = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    this.#last = turn;
    return turn;
  }
}
