/** Lets one loop sleep until something has happened. What happens while it does not sleep is not lost. */
export class Waker {
  #isAwake = false;
  #resolve: (() => void) | undefined;

  /** Ends the sleep, or the next one. */
  readonly wake = (): void => {
    this.#isAwake = true;
    this.#resolve?.();
    this.#resolve = undefined;
  };

  /** Sleeps until it is woken, unless it was woken since the last sleep. */
  async sleep(): Promise<void> {
    if (!this.#isAwake)
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
    this.#isAwake = false;
  }
}
