const MAX_SHOWN = 5;

/** What a source cannot tell of, by a key of the object that is the cause. */
export class Problems {
  readonly #what: string;
  readonly #onProgress: () => void;
  readonly #texts = new Map<string, string>();

  /**
   * @param what has problems, in the plural: `WorkStatuses`
   * @param onProgress called when the first problem has come, or the last one gone; of those between nothing is told,
   *   since there may be one for each object
   */
  constructor(what: string, onProgress: () => void) {
    this.#what = what;
    this.#onProgress = onProgress;
  }

  /** Takes the problem of an object, in full; `undefined`: it has none any more. */
  set(key: string, text: string | undefined): void {
    const had = this.#texts.size > 0;
    if (text === undefined) this.#texts.delete(key);
    else this.#texts.set(key, text);
    if (had !== this.#texts.size > 0) this.#onProgress();
  }

  /** The first few, and how many there are besides. */
  shown(): readonly string[] {
    const shown = [...this.#texts.values()].slice(0, MAX_SHOWN);
    const more = this.#texts.size - shown.length;
    return more > 0 ? [...shown, `and ${more} more ${this.#what}`] : shown;
  }
}
