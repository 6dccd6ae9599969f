/** The lines of pages that several watches read, written once for all that want them in the same form. */
export class SharedLines {
  /** By the objects of a page, as long as somebody has them. */
  readonly #kept = new WeakMap<
    readonly unknown[],
    { readonly key: string; readonly text: string }
  >();

  /**
   * The lines of a page.
   *
   * @param key identifies the form of the lines
   * @param write writes the lines
   */
  of<T>(items: readonly T[], key: string, write: () => string): string {
    const kept = this.#kept.get(items);
    if (kept?.key === key) return kept.text;
    const text = write();
    this.#kept.set(items, { key, text });
    return text;
  }
}
