import { type JsonValue, stringifyJson } from '#shared/core/json.ts';

/**
 * Lambda answers with at most 6 MB (AWS Lambda, "Lambda quotas"), in which the body is a JSON text. The rest is for headers and
 * for the JSON around the list.
 */
const MAX_BODY_BYTES = 5_500_000;

/** The bytes of a text within a JSON text. */
function quotedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** The limits of an answer. */
interface Limits {
  /** The maximum number of entries. */
  readonly limit: number;
  /** Default: what Lambda can answer with. */
  readonly maxBytes?: number | undefined;
}

/** What an answer has besides the list: a few short members before it. */
type Facts = Readonly<Record<string, boolean>>;

/** The entries of an answer, as many as fit. */
export class ListBody {
  readonly #name: string;
  readonly #facts: Facts;
  readonly #limit: number;
  readonly #maxBytes: number;
  readonly #texts: string[] = [];
  #bytes = 0;

  /** @param name the member of the answer with the list */
  constructor(name: string, { limit, maxBytes = MAX_BODY_BYTES }: Limits, facts: Facts = {}) {
    this.#name = name;
    this.#facts = facts;
    this.#limit = limit;
    this.#maxBytes = maxBytes;
  }

  /** The number of entries. */
  get length(): number {
    return this.#texts.length;
  }

  /** Whether it has its maximum of entries, or half of its bytes. */
  get isNearlyFull(): boolean {
    return this.length >= this.#limit || this.#bytes > this.#maxBytes / 2;
  }

  /** Adds an entry that is known to fit. */
  push(entry: JsonValue): void {
    const text = stringifyJson(entry);
    this.#texts.push(text);
    this.#bytes += quotedBytes(text);
  }

  /**
   * Adds an entry, unless the answer would have too many or be too large.
   *
   * @param shorter returns a shorter entry if this one alone is too large; the shorter one says what it leaves out
   * @returns whether it was added
   */
  add(entry: JsonValue, shorter: (maxBytes: number) => JsonValue): boolean {
    if (this.length >= this.#limit) return false;
    const bytes = quotedBytes(stringifyJson(entry));
    const room = this.#maxBytes - this.#bytes;
    if (bytes <= room) this.push(entry);
    else if (this.length > 0) return false;
    else this.push(shorter(this.#maxBytes));
    return true;
  }

  /** The whole answer. @param cursor where the list continues; undefined if it is complete */
  text(cursor: string | undefined): string {
    const rest = cursor === undefined ? '' : `,"cursor":${JSON.stringify(cursor)}`;
    const before = Object.entries(this.#facts).map(
      ([name, fact]) => `${JSON.stringify(name)}:${fact},`,
    );
    return `{${before.join('')}${JSON.stringify(this.#name)}:[${this.#texts.join(',')}]${rest}}`;
  }
}
