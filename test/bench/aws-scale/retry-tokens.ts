/** The SDK's limit on retries in one process (AWS SDKs and Tools Reference Guide, "Retry behavior", standard mode). */
export class RetryTokens {
  static readonly #MOST = 500;
  static readonly #RETRY = 5;
  static readonly #SUCCESS = 1;
  #left = RetryTokens.#MOST;

  /** Takes what a retry costs. Returns whether there was enough. */
  take(): boolean {
    if (this.#left < RetryTokens.#RETRY) return false;
    this.#left -= RetryTokens.#RETRY;
    return true;
  }

  /** A request has succeeded: what its last retry took is given back, or a little without one. */
  succeed(retries: number): void {
    const back = retries > 0 ? RetryTokens.#RETRY : RetryTokens.#SUCCESS;
    this.#left = Math.min(RetryTokens.#MOST, this.#left + back);
  }
}
