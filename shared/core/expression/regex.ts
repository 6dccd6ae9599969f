import { RE2JS } from 're2js';
import { OVER_BUDGET, pay, spend } from './budget.ts';
import type { Budget } from './expression.ts';
import { largePattern } from './messages.ts';
import { patternSize } from './pattern-size.ts';
import { MAX_PATTERN_SIZE, MAX_PATTERNS_SIZE, PATTERN_OVERHEAD, STEPS_PER_CALL } from './prices.ts';
import { unicodeRanges } from './unicode-ranges.ts';
import { CelError, NO_SUCH_OVERLOAD, type Value } from './value.ts';

const MAX_PATTERN_LENGTH = 4096;
/**
 * How much memory the automaton of a pattern may take, as the library counts bytes. Beyond this, the automaton is
 * rebuilt.
 */
const MAX_AUTOMATON = 262_144;
/** The same, for each unit of {@link weight}, because there may be many small patterns. */
const AUTOMATON_PER_WEIGHT = 512;
/** The measured memory of a pattern without its automaton and its instructions, and of each instruction. */
const PATTERN_BYTES = 6_000;
const INSTRUCTION_BYTES = 200;

/** An empty text, a letter, a digit and a sign: the states in which most texts begin. */
const FIRST_TEXTS = ['', 'a', '0', '-'];

/** A pattern that can be matched, with its size ({@link patternSize}), or why it cannot be. */
export interface Pattern {
  readonly size: number;
  readonly matcher: RE2JS | CelError;
}

/** How much a pattern counts against the limit of the patterns that are kept. */
function weight({ size }: Pick<Pattern, 'size'>): number {
  return size + PATTERN_OVERHEAD;
}

function automatonBytes(pattern: Pick<Pattern, 'size'>): number {
  return Math.min(weight(pattern) * AUTOMATON_PER_WEIGHT, MAX_AUTOMATON);
}

/** About how much memory a pattern takes at most, regardless of how often it is matched. */
export function patternBytes(pattern: Pick<Pattern, 'size'>): number {
  return PATTERN_BYTES + pattern.size * INSTRUCTION_BYTES + automatonBytes(pattern);
}

function build(pattern: string, size: number): RE2JS | CelError {
  try {
    const matcher = RE2JS.compile(pattern);
    const { dfa } = matcher.re2();
    dfa.stateBudget = automatonBytes({ size });
    dfa.memBudget = dfa.stateBudget;
    // The library makes the first states with the first texts. A row must not take that time.
    for (const text of FIRST_TEXTS) matcher.test(text);
    return matcher;
  } catch (error) {
    return new CelError((error as Error).message); // the library throws its own subclasses of Error only
  }
}

/** The size of a pattern, or its length if it is too long to be scanned. */
function boundedSize(pattern: string): number {
  return pattern.length > MAX_PATTERN_LENGTH ? pattern.length : patternSize(pattern);
}

/** Why a pattern of this length and size is not compiled, or `undefined` if it may be. */
function refusal({ length }: string, size: number): CelError | undefined {
  if (length > MAX_PATTERN_LENGTH)
    return new CelError(`error parsing regexp: pattern has ${length} characters`);
  if (size <= MAX_PATTERN_SIZE) return undefined;
  const problem = largePattern(size, MAX_PATTERN_SIZE);
  return new CelError(`error parsing regexp: ${problem}; repeat and count less`);
}

/** Compiles an RE2 pattern. Its size is computed first. A pattern that is too large is not compiled. */
export function compilePattern(pattern: string): Pattern {
  const size = boundedSize(pattern);
  return { size, matcher: refusal(pattern, size) ?? build(pattern, size) };
}

/** The most recently used patterns that expressions have computed, bounded by their sizes. */
const kept = new Map<string, Pattern>();
let keptWeight = 0;

function cachedPattern(pattern: string): Pattern {
  const found = kept.get(pattern);
  if (found) return found;
  const compiled = compilePattern(pattern);
  kept.set(pattern, compiled);
  keptWeight += weight(compiled);
  for (const [text, oldest] of kept) {
    if (keptWeight <= MAX_PATTERNS_SIZE) break;
    kept.delete(text);
    keptWeight -= weight(oldest);
  }
  return compiled;
}

/** Whether a compiled pattern matches anywhere in a text. */
export function matchesCompiled(text: Value, { size, matcher }: Pattern, budget: Budget): Value {
  if (matcher instanceof CelError) return matcher;
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD;
  const paid =
    spend(budget, STEPS_PER_CALL.match) && pay(budget, 'matching', (text.length + 1) * size);
  return paid ? matcher.test(text) : OVER_BUDGET;
}

/**
 * Whether an RE2 pattern that an expression computes matches anywhere in a text. The characters of the pattern are paid
 * for before it is scanned, even if it is then rejected. Its size and the ranges of its classes are paid for before it
 * is compiled, even if it is invalid. A pattern that was kept costs the same, so the cost of an evaluation does not depend
 * on earlier evaluations.
 */
export function matches(text: Value, pattern: Value, budget: Budget): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD;
  const characters = Math.min(pattern.length, MAX_PATTERN_LENGTH);
  if (!pay(budget, 'patterns', characters)) return OVER_BUDGET;
  const size = boundedSize(pattern);
  const refused = refusal(pattern, size);
  if (refused) return refused;
  const paid =
    pay(budget, 'patterns', size + unicodeRanges(pattern)) && spend(budget, STEPS_PER_CALL.pattern);
  if (!paid) return OVER_BUDGET;
  return matchesCompiled(text, cachedPattern(pattern), budget);
}
