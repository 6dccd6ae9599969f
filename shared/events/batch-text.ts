import { gunzipSync } from 'node:zlib';
import { type JsonValue, parseJson } from '#shared/core/json.ts';
import { messageOf } from '#shared/errors.ts';

/**
 * What a body may hold. A forwarder's is 64 KiB of JSON or one object, of which an API server takes about 3 MB; what is
 * beyond that is made to exhaust whoever reads it.
 */
export const BODY_LIMITS = {
  inflatedBytes: 8 * 1024 * 1024,
  events: 10_000,
  /** Counted as commas and opening brackets are: at least one for each list, object and further element. */
  values: 1_000_000,
} as const;

/** How deep a status, or another field of an object of a WEC, may be nested: reading and merging values is recursive. */
export const MAX_NESTING = 500;

/** So many levels more in a WDS: in a CombinedStatus there is a status within what Starfold and expressions put around it. */
export const MAX_NESTING_AROUND = 100;

/** The event, its `data`, and the object in it. */
const LEVELS_ABOVE_FIELDS = 3;

/** What a value takes in memory besides its text, about: measured with Node 24, an empty object. */
const VALUE_HEAP_BYTES = 64;

/** A body as JSON. */
export interface BatchText {
  readonly batch: JsonValue;
  /** Positions of the events that are nested too deeply for any source; `null` stands in their place. */
  readonly tooDeep: ReadonlySet<number>;
  /** Positions of those that are for a WEC, but not for a WDS. */
  readonly tooDeepForWec: ReadonlySet<number>;
  /** How much memory the body takes, about. */
  readonly heapBytes: number;
}

/** An element of the outermost list, how deep it is nested below its fields, and where its text begins and ends. */
interface Element {
  readonly index: number;
  readonly nesting: number;
  readonly from: number;
  readonly to: number;
}

/** The position of the quotation mark that ends the string that begins at a position; the end where none does. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** Measures JSON text before anything is made of it: without recursion, and without memory for what is in it. */
class Scan {
  elements = 0;
  values = 0;
  /** Those that are nested too deeply for a WEC. */
  readonly deep: Element[] = [];
  readonly #text: string;
  #depth = 0;
  #deepest = 0;
  #from = 0;

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at < text.length && !this.isTooMuch; at += 1) at = this.#step(at);
    if (this.#depth > 0) this.#end(text.length);
  }

  get isTooMuch(): boolean {
    return this.elements >= BODY_LIMITS.events || this.values > BODY_LIMITS.values;
  }

  /** Looks at the character at a position; the position of the last one that has been looked at. */
  #step(at: number): number {
    switch (this.#text[at]) {
      case '"':
        return endOfString(this.#text, at);
      case '[':
      case '{':
        this.#open(at);
        break;
      case ']':
      case '}':
        this.#close(at);
        break;
      case ',':
        this.#next(at);
        break;
    }
    return at;
  }

  #open(at: number): void {
    this.values += 1;
    this.#depth += 1;
    if (this.#depth === 1) this.#from = at + 1;
    this.#deepest = Math.max(this.#deepest, this.#depth);
  }

  #close(at: number): void {
    if (this.#depth === 1) this.#end(at);
    this.#depth -= 1;
  }

  #next(at: number): void {
    this.values += 1;
    if (this.#depth !== 1) return;
    this.#end(at);
    this.elements += 1;
  }

  #end(to: number): void {
    const nesting = this.#deepest - 1 - LEVELS_ABOVE_FIELDS;
    if (nesting > MAX_NESTING)
      this.deep.push({ index: this.elements, nesting, from: this.#from, to });
    this.#deepest = 0;
    this.#from = to + 1;
  }
}

/** The text with `null` for some elements: they are not even parsed. */
function without(text: string, elements: readonly Element[]): string {
  let kept = '';
  let end = 0;
  for (const { from, to } of elements) {
    kept += `${text.slice(end, from)}null`;
    end = to;
  }
  return kept + text.slice(end);
}

function textOf(body: string): string {
  if (body.startsWith('[')) return body;
  const { inflatedBytes: maxOutputLength } = BODY_LIMITS;
  return gunzipSync(Buffer.from(body, 'base64'), { maxOutputLength }).toString();
}

/**
 * The JSON of a message's body, plain or compressed, if it is within {@link BODY_LIMITS}.
 *
 * @returns what is wrong with the body as a whole, where something is
 */
export function readBatch(body: string): BatchText | string {
  try {
    const text = textOf(body);
    const scan = new Scan(text);
    if (scan.isTooMuch)
      return `it has more than ${BODY_LIMITS.events} events or ${BODY_LIMITS.values} values`;
    const isTooDeep = ({ nesting }: Element): boolean => nesting > MAX_NESTING + MAX_NESTING_AROUND;
    const tooDeep = scan.deep.filter(isTooDeep);
    const rest = scan.deep.filter((element) => !isTooDeep(element));
    return {
      batch: parseJson(without(text, tooDeep)),
      tooDeep: new Set(tooDeep.map(({ index }) => index)),
      tooDeepForWec: new Set(rest.map(({ index }) => index)),
      heapBytes: text.length + VALUE_HEAP_BYTES * scan.values,
    };
  } catch (error) {
    return messageOf(error);
  }
}
