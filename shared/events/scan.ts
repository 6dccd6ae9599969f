import { MAX_NESTING } from '#shared/core/bounded-depth.ts';
import { afterString } from '#shared/core/json.ts';
import {
  BODY_LIMITS,
  ENVELOPE_LIMITS,
  type Limits,
  MAX_NUMBER_CHARACTERS,
  OBJECT_LIMITS,
  RETURNED_LIMITS,
} from './limits.ts';
import { longEvent, longNumber, manyValues, TOO_DEEP } from './messages.ts';

/** A range of the text. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** An event that exceeds a limit, or whose object does. */
export interface Excess extends Range {
  readonly index: number;
  /** The limit that it exceeds. Absent if only the object that the WEC returned exceeds one. */
  readonly fault?: string;
  /** The ranges of the spec and the status that are too large to keep. */
  readonly returned: readonly Range[];
}

/** The measures of a batch's text. */
export interface ScannedBatch {
  /** The number of elements that were scanned. */
  readonly elements: number;
  /** The number of values within the limits, without specs and statuses that are too large. */
  readonly values: number;
  /** In their order. */
  readonly excesses: readonly Excess[];
  /** The positions of events that are nested more deeply than a WEC or Fleet allows. */
  readonly deep: ReadonlySet<number>;
}

/** The event, its `data`, and the object in it. Nesting is counted below them. */
const LEVELS_ABOVE_FIELDS = 4;

const CHAR = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openList: 0x5b,
  closeList: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The position of the quotation mark that ends a string, or the last position if there is none. */
function endOfString(text: string, start: number): number {
  return afterString(text, start + 1) - 1;
}

/** The characters of a number. If they do not form a number, the parser rejects them. */
const IN_NUMBER = /[-+.0-9eE]*/y;

function endOfNumber(text: string, start: number): number {
  IN_NUMBER.lastIndex = start;
  IN_NUMBER.test(text);
  return IN_NUMBER.lastIndex;
}

/** The measures of an event, or of the part of it that is being read. */
interface Measure {
  values: number;
  deepest: number;
  longestNumber: number;
}

function nothing(): Measure {
  return { values: 0, deepest: 0, longestNumber: 0 };
}

/** The limit that is exceeded, in words. */
function faultOf(
  { values, deepest, longestNumber }: Measure,
  characters: number,
  limits: Limits,
): string | undefined {
  if (characters > limits.characters) return longEvent(limits.characters);
  if (values > limits.values) return manyValues(limits.values);
  if (deepest - LEVELS_ABOVE_FIELDS > limits.nesting) return TOO_DEEP;
  if (longestNumber > MAX_NUMBER_CHARACTERS) return longNumber(MAX_NUMBER_CHARACTERS);
  return undefined;
}

/** The name of a member, as JSON.parse reads it. */
function nameOf(text: string, { from, to }: Range): string {
  const raw = text.slice(from + 1, to);
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

/** The depths of the relevant members: `data`, then `returned` or `object`, then `spec` or `status`. */
const DEPTH = { data: 2, object: 3, field: 4 } as const;

type Part = 'returned' | 'object';

/** Scans the text once, without recursion and without memory for its content. */
class Scan {
  elements = 0;
  values = 0;
  readonly excesses: Excess[] = [];
  readonly deep = new Set<number>();
  readonly #text: string;
  #depth = 0;
  /** The start of the element, and the measures of everything in it that is not a part. */
  #from = 0;
  #envelope = nothing();
  #partCharacters = 0;
  #partValues = 0;
  #fault: string | undefined;
  #returned: Range[] = [];
  /** The part that is being read, the depth of its member, and its start. */
  #part: { readonly kind: Part; readonly depth: number; readonly from: number } | undefined;
  #measure = this.#envelope;
  /** The last string. If a colon follows, it is a name. */
  #string: Range = { from: 0, to: 0 };
  /** The names of the members that are being read, by their depth. */
  readonly #names: string[] = [];

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at < text.length && this.elements < BODY_LIMITS.events; at += 1)
      at = this.#step(at);
    if (this.#depth > 0) this.#endElement(text.length);
  }

  /** Scans the character at a position. Returns the last position that was scanned. */
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

  /** Starts a member. */
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
 * Measures the JSON text of a batch before it is parsed: each event separately, and its object separately from the rest. A text
 * that is not JSON gives any result, and is rejected when the rest of it is parsed.
 */
export function scanBatch(text: string): ScannedBatch {
  return new Scan(text);
}
