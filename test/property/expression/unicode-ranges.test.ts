import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { patternSize } from '#shared/core/expression/pattern-size.ts';
import { unicodeRanges } from '#shared/core/expression/unicode-ranges.ts';

/** The program of a pattern, as far as it is read here. */
interface Compiled {
  re2(): {
    prog: { numInst(): number; getInst(at: number): { readonly runes?: readonly number[] } };
  };
}

/** The most ranges of an instruction of a pattern. `undefined` if the text is not a pattern. */
function rangesOf(pattern: string): number | undefined {
  let compiled: Compiled;
  try {
    compiled = RE2JS.compile(pattern) as unknown as Compiled; // The program is not in the library's types.
  } catch {
    return undefined;
  }
  const { prog } = compiled.re2();
  const all = Array.from({ length: prog.numInst() }, (_, at) => prog.getInst(at).runes ?? []);
  return Math.max(...all.map(({ length }) => length / 2));
}

/** The names of all classes of Unicode that the library knows: it has no list, so each name in its text is tried. */
function classes(): readonly string[] {
  const text = readFileSync(fileURLToPath(import.meta.resolve('re2js')), 'utf8');
  const words = new Set(text.match(/\b[A-Z][A-Za-z_]*\b/g));
  return [...words].filter((name) => rangesOf(`\\p{${name}}`) !== undefined);
}

describe('the ranges of a class of Unicode', () => {
  it('are at most those that are paid for, for every class of the library', () => {
    const names = classes();
    const unpaid = names.flatMap((name) =>
      [`\\p{${name}}`, `\\P{${name}}`, `(?i)\\p{${name}}`, `(?i)[^\\p{^${name}}]`].filter(
        (pattern) => (rangesOf(pattern) ?? 0) > unicodeRanges(pattern) + patternSize(pattern),
      ),
    );
    expect(names.length).toBeGreaterThan(200);
    expect(unpaid).toEqual([]);
  });

  it.each([
    ['', 0],
    ['pL', 0],
    ['\\pL', 686],
    ['\\PL', 686],
    ['\\p{L}', 686],
    ['\\p{^L}', 686],
    ['\\P{^L}{10}', 686],
    ['(?i)[^\\pL\\p{Mn}]', 686 + 369],
    ['\\\\pL', 0],
    ['\\\\\\pL', 686],
    ['\\p{Greek}', 0],
    ['\\p{L', 0],
    ['\\p', 0],
    ['\\p{constructor}', 0],
  ])('count what is built once: %s %d', (pattern, ranges) => {
    expect(unicodeRanges(pattern)).toBe(ranges);
  });

  it.each(['\\p{', '\\', '\\p{^', '\\pL'])('are found in one pass: %s', (part) => {
    expect(unicodeRanges(part.repeat(300_000))).toBeGreaterThanOrEqual(0);
  });
});
