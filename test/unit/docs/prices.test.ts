import { describe, expect, it } from 'vitest';
import { BINARY, UNARY } from '#shared/core/expression/functions.ts';
import {
  MAX_PATTERN_SIZE,
  MAX_PATTERNS_SIZE,
  MAX_STEPS,
  MAX_VALUE_DEPTH,
  PATTERN_OVERHEAD,
  STEPS_PER_CALL,
  UNITS_PER_STEP,
} from '#shared/core/expression/prices.ts';
import { readDocument } from './markdown.ts';
import { quoted } from './rules-document.ts';

const { text } = readDocument('docs/cel.md');

/** The rows of a table whose first column is a name in backticks, the second a number. */
function priced(name: string): readonly (readonly [name: string, price: number])[] {
  const begin = text.search(new RegExp(`^\\| ${name} `, 'm'));
  const table = text.slice(begin, text.indexOf('\n\n', begin));
  return [...table.matchAll(/^\| `(\w+)` *\| ([\d,]+) *\|/gm)].map(([, key = '', price = '']) => [
    key,
    Number(price.replaceAll(',', '')),
  ]);
}

/** What an operator or function is called in an expression: `_+_` is `+`, `@in` is `in`. */
function spelling(name: string): string {
  if (name === '_[_]') return 'm[k]';
  return name.replaceAll(/[_@]/g, '');
}

describe('the prices of expressions, as in docs/cel.md', () => {
  it('are those of the code', () => {
    expect(Object.fromEntries(priced('price'))).toEqual(UNITS_PER_STEP);
    expect(Object.fromEntries(priced('call'))).toEqual(STEPS_PER_CALL);
  });

  it('name every operator and function', () => {
    const prices = text.slice(text.indexOf('### Prices'), text.indexOf('## Differences'));
    const named = new Set(quoted(prices).flatMap((words) => words.split(/[ ()]/)));
    const missing = [...UNARY.keys(), ...BINARY.keys()].map(spelling).filter((n) => !named.has(n));
    expect(missing).toEqual([]);
  });

  it.each([
    ['nesting of values', MAX_VALUE_DEPTH],
    ['size of a regular expression', MAX_PATTERN_SIZE],
    ['size of the constant patterns', MAX_PATTERNS_SIZE],
    ['size of the constant patterns', PATTERN_OVERHEAD],
    ['work of the expressions', MAX_STEPS],
  ])('have the limit of the code: %s %d', (what, limit) => {
    const row = text.split('\n').find((line) => line.startsWith(`| ${what}`));
    expect(row).toContain(limit.toLocaleString('en-US'));
  });
});
