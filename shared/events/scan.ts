import {
  BODY_LIMITS,
  ENVELOPE_LIMITS,
  type Limits,
  MAX_NESTING,
  MAX_NUMBER_CHARACTERS,
  OBJECT_LIMITS,
  RETURNED_LIMITS,
} from './limits.ts';

/** A piece of the text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** An event that goes beyond a limit, or whose object does. */
export interface Excess extends Range {
  readonly index: number;
  /** What it goes beyond; absent: only what the WEC returned does. */
  readonly fault?: string;
  /** Where the spec and the status stand that are too large to keep. */
  readonly returned: readonly Range[];
}

/** What the text of a batch holds. */
export interface ScannedBatch {
  /** How many of the elements have been looked at. */
  readonly elements: number;
  /** Values of those that are within the limits, spec and status that are too large apart. */
  readonly values: number;
  /** In their order. */
  readonly excesses: readonly Excess[];
  /** Positions of the events that are nested more deeply than those of a WEC or of Fleet may be. */
  readonly deep: ReadonlySet<number>;
}

/** The event, its `data`, and the object in it: what is nested below them counts. */
const LEVELS_ABOVE_FIELDS = 4;

const CHAR = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The position of the quotation mark that ends the string that begins at a position; the end where none does. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === CHAR.backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** What a number may be made of; what is none in spite of that is refused when it is parsed. */
const IN_NUMBER = /[-+.0-9eE]*/y;

function endOfNumber(text: string, start: number): number {
  IN_NUMBER.lastIndex = start;
  IN_NUMBER.test(text);
  return IN_NUMBER.lastIndex;
}

/** What is measured of an event, or of the part of it that is being read. */
interface Measure {
  values: number;
  deepest: number;
  longestNumber: number;
}

function nothing(): Measure {
  return { values: 0, deepest: 0, longestNumber: 0 };
}

/** The limit that something goes beyond, in words. */
function faultOf(
  { values, deepest, longestNumber }: Measure,
  characters: number,
  limits: Limits,
): string | undefined {
  if (characters > limits.characters) return `has more than ${limits.characters} characters`;
  if (values > limits.values) return `has more than ${limits.values} values`;
  if (deepest - LEVELS_ABOVE_FIELDS > limits.nesting)
    return `is nested too deeply: no field of an object may have more than ${MAX_NESTING} levels`;
  if (longestNumber > MAX_NUMBER_CHARACTERS)
    return `has a number of more than ${MAX_NUMBER_CHARACTERS} characters`;
  return undefined;
}

/** A member's name as JSON.parse reads it. */
function nameOf(text: string, { from, to }: Range): string {
  const raw = text.slice(from + 1, to);
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

/** Depths at which the members stand that are looked for: `data`, then `returned` or `object`, then `spec` or `status`. */
const DEPTH = { data: 2, object: 3, field: 4 } as const;

type Part = 'returned' | 'object';

/** Reads the text once: without recursion, and without memory for what is in it. */
class Scan {
  elements = 0;
  values = 0;
  readonly excesses: Excess[] = [];
  readonly deep = new Set<number>();
  readonly #text: string;
  #depth = 0;
  /** Where the element begins, and what of it is no part. */
  #from = 0;
  #envelope = nothing();
  #partCharacters = 0;
  #partValues = 0;
  #fault: string | undefined;
  #returned: Range[] = [];
  /** The part that is being read, at which depth it is a member, and where it begins. */
  #part: { readonly kind: Part; readonly depth: number; readonly from: number } | undefined;
  #measure = this.#envelope;
  /** The last string: a name, if a colon follows it. */
  #string: Range = { from: 0, to: 0 };
  /** Names of the members that are being read, by their depth. */
  readonly #names: string[] = [];

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at < text.length && this.elements < BODY_LIMITS.events; at += 1)
      at = this.#step(at);
    if (this.#depth > 0) this.#endElement(text.length);
  }

  /** Looks at the character at a position; the position of the last one that has been looked at. */
  #step(at: number): number {
    const code = this.#text.charCodeAt(at);
    switch (code) {
      case CHAR.quote:
        return this.#readString(at);
      case CHAR.colon:
        if (this.#part === undefined && this.#depth <= DEPTH.field) this.#name(at);
        break;
      case CHAR.openList:
      case CHAR.openObject:
        this.#open(at);
        break;
      case CHAR.closeList:
      case CHAR.closeObject:
        this.#close(at);
        break;
      case CHAR.comma:
        this.#next(at);
        break;
      case CHAR.minus:
        return this.#readNumber(at);
      default:
        if (code >= CHAR.zero && code <= CHAR.nine) return this.#readNumber(at);
    }
    return at;
  }

  #readString(from: number): number {
    const to = endOfString(this.#text, from);
    if (this.#part === undefined && this.#depth <= DEPTH.field) this.#string = { from, to };
    return to;
  }

  #readNumber(from: number): number {
    const to = endOfNumber(this.#text, from);
    this.#measure.longestNumber = Math.max(this.#measure.longestNumber, to - from);
    return to - 1;
  }

  /** A member begins. */
  #name(at: number): void {
    const names = this.#names;
    names[this.#depth] = nameOf(this.#text, this.#string);
    if (names[DEPTH.data] !== 'data') return;
    const name = names[this.#depth];
    if (this.#depth === DEPTH.object && name === 'object') this.#begin('object', at + 1);
    if (this.#depth === DEPTH.field && names[DEPTH.object] === 'returned')
      if (name === 'spec' || name === 'status') this.#begin('returned', at + 1);
  }

  #begin(kind: Part, from: number): void {
    this.#part = { kind, depth: this.#depth, from };
    this.#measure = nothing();
  }

  #open(at: number): void {
    this.#depth += 1;
    if (this.#depth === 1) this.#from = at + 1;
    else this.#measure.values += 1;
    this.#measure.deepest = Math.max(this.#measure.deepest, this.#depth);
    if (this.#depth <= DEPTH.field) this.#names[this.#depth] = '';
  }

  #close(at: number): void {
    if (this.#part?.depth === this.#depth) this.#endPart(at);
    if (this.#depth === 1) this.#endElement(at);
    this.#depth -= 1;
  }

  #next(at: number): void {
    if (this.#part?.depth === this.#depth) this.#endPart(at);
    this.#measure.values += 1;
    if (this.#depth !== 1) return;
    this.#endElement(at);
    this.elements += 1;
  }

  #endPart(to: number): void {
    if (this.#part === undefined) return;
    const { kind, from } = this.#part;
    const limits = kind === 'object' ? OBJECT_LIMITS : RETURNED_LIMITS;
    const fault = faultOf(this.#measure, to - from, limits);
    this.#partCharacters += to - from;
    if (fault === undefined) {
      this.#partValues += this.#measure.values;
      if (this.#measure.deepest - LEVELS_ABOVE_FIELDS > MAX_NESTING) this.deep.add(this.elements);
    } else if (kind === 'object') this.#fault ??= fault;
    else this.#returned.push({ from, to });
    this.#part = undefined;
    this.#measure = this.#envelope;
  }

  #endElement(to: number): void {
    if (this.#part !== undefined) this.#endPart(to);
    const characters = to - this.#from - this.#partCharacters;
    const fault = this.#fault ?? faultOf(this.#envelope, characters, ENVELOPE_LIMITS);
    if (fault !== undefined || this.#returned.length > 0)
      this.excesses.push({
        index: this.elements,
        from: this.#from,
        to,
        returned: this.#returned,
        ...(fault === undefined ? {} : { fault }),
      });
    if (fault === undefined) this.values += this.#envelope.values + this.#partValues;
    this.#from = to + 1;
    this.#envelope = nothing();
    this.#measure = this.#envelope;
    this.#partCharacters = 0;
    this.#partValues = 0;
    this.#fault = undefined;
    this.#returned = [];
  }
}

/**
 * Measures the JSON text of a batch before anything is made of it: each event by itself, what it says of an object apart
 * from the rest. Text that is no JSON gives any result: it is refused when what is left of it is parsed.
 */
export function scanBatch(text: string): ScannedBatch {
  return new Scan(text);
}
