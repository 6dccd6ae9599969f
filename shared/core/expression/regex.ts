import { RE2JS } from 're2js';
import { OVER_BUDGET, spend, spendReading } from './budget.ts';
import type { Budget } from './expression.ts';
import { CelError, NO_SUCH_OVERLOAD, type Value } from './value.ts';

/** How many compiled patterns are kept. */
const MAX_PATTERNS = 500;
const MAX_PATTERN_LENGTH = 4096;

const patterns = new Map<string, RE2JS | CelError>();

/** The compiled form of an RE2 pattern, or why it is none. */
export function compilePattern(pattern: string): RE2JS | CelError {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return new CelError(`error parsing regexp: pattern has ${pattern.length} characters`);
  }
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return new CelError((error as Error).message); // the library throws its own subclasses of Error only
  }
}

function cachedPattern(pattern: string): RE2JS | CelError {
  const known = patterns.get(pattern);
  if (known) return known;
  const compiled = compilePattern(pattern);
  const [oldest] = patterns.keys();
  if (patterns.size >= MAX_PATTERNS && oldest !== undefined) patterns.delete(oldest);
  patterns.set(pattern, compiled);
  return compiled;
}

/** Whether a compiled pattern matches anywhere in a text. */
export function matchesCompiled(text: Value, pattern: RE2JS | CelError, budget: Budget): Value {
  if (pattern instanceof CelError) return pattern;
  if (typeof text !== 'string') return NO_SUCH_OVERLOAD;
  const work = (text.length + 1) * pattern.programSize();
  return spendReading(budget, work) ? pattern.test(text) : OVER_BUDGET;
}

/**
 * Whether an RE2 pattern that an expression computes matches anywhere in a text. A step is paid for each character of
 * the pattern, compiled or kept: what an evaluation costs does not depend on those before it.
 */
export function matches(text: Value, pattern: Value, budget: Budget): Value {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_SUCH_OVERLOAD;
  if (!spend(budget, pattern.length)) return OVER_BUDGET;
  return matchesCompiled(text, cachedPattern(pattern), budget);
}
