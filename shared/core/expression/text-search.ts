/** Up to so many characters the engine's own search takes a bounded time for each character of the text. */
const SHORT = 64;

/** Finds a text in another in a time that grows with the sum of their lengths (Knuth, Morris, Pratt). */
class Search {
  readonly #part: string;
  /** For each beginning of the part the length of the longest one that is also its end. */
  readonly #borders: Int32Array;

  constructor(part: string) {
    this.#part = part;
    this.#borders = new Int32Array(part.length);
    let length = 0;
    for (let i = 1; i < part.length; i++) {
      length = this.#next(length, part.charCodeAt(i));
      this.#borders[i] = length;
    }
  }

  isIn(text: string): boolean {
    let matched = 0;
    for (let i = 0; i < text.length; i++) {
      matched = this.#next(matched, text.charCodeAt(i));
      if (matched === this.#part.length) return true;
    }
    return false;
  }

  /** How much of the part ends with a unit, where so much of it stands before. */
  #next(matched: number, unit: number): number {
    let length = matched;
    while (length > 0 && this.#part.charCodeAt(length) !== unit)
      length = this.#borders[length - 1] as number; // length is within the part
    return this.#part.charCodeAt(length) === unit ? length + 1 : length;
  }
}

/** Whether a text contains another, in a time that grows with the sum of their lengths, whatever stands in them. */
export function containsText(text: string, part: string): boolean {
  if (part.length <= SHORT) return text.includes(part);
  return part.length <= text.length && new Search(part).isIn(text);
}
