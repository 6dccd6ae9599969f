const MAX_SHOWN = 5;

/** The problems that prevent reports of a source, by a key of the object that causes each. */
export class Problems {
  readonly #what: string;
  readonly #onProgress: () => void;
  readonly #texts = new Map<string, string>();

  /**
   * @param what the plural name of the objects that have problems: `WorkStatuses`
   * @param onProgress called after the first problem was added or the last one removed. It is not called for the problems
   *   between, because there may be one for each object.
   */
  constructor(what: string, onProgress: () => void) {
    this.#what = what;
    this.#onProgress = onProgress;
  }

  /** Sets the problem of an object, in full. `undefined`: the object has no problem any more. */
  set(key: string, text: string | undefined): void {
    const had = this.#texts.size > 0;
    if (text === undefined) this.#texts.delete(key);
    else this.#texts.set(key, text);
    if (had !== this.#texts.size > 0) this.#onProgress();
  }

  /** The first few problems, and the number of the others. */
  shown(): readonly string[] {
    const shown = [...this.#texts.values()].slice(0, MAX_SHOWN);
    const more = this.#texts.size - shown.length;
    return more > 0 ? [...shown, `and ${more} more ${this.#what}`] : shown;
  }
}
