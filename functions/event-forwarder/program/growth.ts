/** Turns counts that begin anew now and then into growth. */
export class Growth {
  readonly #last = new Map<string, number>();

  /** How much a count has grown since it was last given; one that is smaller than before began anew at 0. */
  of(key: string, count: number): number {
    const last = this.#last.get(key) ?? 0;
    this.#last.set(key, count);
    return count < last ? count : count - last;
  }

  /** All counts begin anew. */
  reset(): void {
    this.#last.clear();
  }
}
