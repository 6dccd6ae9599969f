import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { patternSize } from '#shared/core/expression/pattern-size.ts';
import { histories } from '#test/histories.ts';

/** The instructions of a pattern, `undefined` where it is none. */
function programSize(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize();
  } catch {
    return undefined;
  }
}

const CORPUS = [
  '',
  'a',
  '^$',
  'a|b|',
  '||',
  '()',
  '(|a)*',
  '(?:)',
  '(?:){5}',
  'a{0}',
  'a{0,0}',
  'a{00}',
  'a{2,}',
  'a{,2}',
  'a{',
  'a{1',
  'a{1,',
  'a{1,2',
  'x{2}{3}',
  '(a{30}){30}',
  '(?i)(?:abc){3}',
  'a(?i)*',
  'ab(?i)c{3}',
  'a\\Q\\E{3}',
  '\\Qa{3}\\E',
  '\\Qab',
  '\\Qab\\E{4}',
  'abc|abd|ab',
  'ab|a|a',
  'x*|y*|z*',
  '(a*)*',
  '(a?)+?',
  '[a-z]+',
  '[]a]{3}',
  '[^]a]{3}',
  '[a\\]b]{3}',
  '[[:alpha:]]{3}',
  '[[:alpha]{3}',
  '[\\pL\\d]{3}',
  '[a-]{2}',
  '[-a]{2}',
  '[\\x{41}-\\x{5a}]{3}',
  '(?i)[\\x{41}-\\x{5a}k]{3}',
  '(?i)[a-z]{3}',
  '\\x{41}{3}',
  '\\x41{3}',
  '\\101{3}',
  '\\pL{3}',
  '\\p{Greek}{3}',
  '\\P{^Greek}+',
  '\\d{3}-\\w+\\s*\\S',
  '\\bfoo\\B',
  '(?P<name>a+)b',
  '(?<name>a{3})',
  '(?s:.)(?m:^)',
  '(?U)a+?',
  '.{3}',
  '\u{1f600}{3}',
  '[\u{1f600}-\u{1f64f}]{3}',
  '^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$',
  '(((a{2}){2}){2}){2}',
  'a{1000}',
  '(?:a?){300}',
  '(?:a|b|c){0,50}',
];

const atom = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'ab', '.', '^', '$', 'é', '\u{1f600}') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\d', '\\W', '\\pL', '\\PN', '\\p{Greek}', '\\b', '\\x{41}', '\\.'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('[a-c]', '[^a]', '[]a]', '[\\d-]', '[[:alpha:]x]', '[\\x{61}-z]'),
  },
  { weight: 1, arbitrary: fc.constantFrom('\\Qa+b\\E', '\\Q\\E', '(?i)', '{', '{1', 'a{00}') },
);
const repetition = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: fc.constantFrom('*', '+', '?', '*?', '+?', '??') },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(6), fc.option(fc.option(fc.nat(6)))).map(([min, more]) => {
      if (more === null) return `{${min}}`;
      return more === undefined ? `{${min},}` : `{${min},${min + Number(more)}}`;
    }),
  },
);
const { pattern } = fc.letrec<{ pattern: string; branch: string; part: string }>((tie) => ({
  pattern: fc
    .array(tie('branch'), { minLength: 1, maxLength: 3 })
    .map((branches) => branches.join('|')),
  branch: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc
    .tuple(
      fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        atom,
        fc
          .tuple(fc.constantFrom('(', '(?:', '(?i:', '(?P<n>'), tie('pattern'))
          .map(([open, inner]) => `${open}${inner})`),
      ),
      repetition,
    )
    .map((parts) => parts.join('')),
}));

const PATTERNS = histories({ first: 2_000, all: 6_000 });

describe('the size of a pattern', () => {
  it.each(CORPUS)('is at least that of its program: %s', (text) => {
    expect(patternSize(text)).toBeGreaterThanOrEqual(programSize(text) ?? 0);
  });

  it('is at least that of the program of any pattern', () => {
    let patterns = 0;
    fc.assert(
      fc.property(pattern, (text) => {
        const size = programSize(text);
        if (size !== undefined) patterns += 1;
        expect(patternSize(text)).toBeGreaterThanOrEqual(size ?? 0);
      }),
      { numRuns: PATTERNS, seed: 1 },
    );
    expect(patterns).toBeGreaterThan(PATTERNS / 3);
  });

  it('is at least that of the program of any text that is a pattern', () => {
    const signs = fc.constantFrom(...'ab01,-^$.|?*+{}()[]:\\pPLxQEdiU');
    fc.assert(
      fc.property(fc.string({ unit: signs, maxLength: 12 }), (text) => {
        expect(patternSize(text)).toBeGreaterThanOrEqual(programSize(text) ?? 0);
      }),
      { numRuns: histories({ first: 5_000, all: 20_000 }), seed: 2 },
    );
  });

  // A scan that looked ahead from each of these to the end would take minutes.
  it.each([
    ['names of classes', '[', '[:'],
    ['classes of Unicode', '', '\\p{'],
    ['classes of Unicode within a class', '[', '\\p{'],
    ['code points', '', '\\x{'],
    ['code points within a class', '[', '\\x{'],
    ['names of groups', '', '(?<'],
    ['names of groups in the older form', '', '(?P<'],
    ['flags', '', '(?i'],
    ['quotations', '', '\\Q'],
    ['counts', '', '{1,'],
    ['digits of a count', '{', '1'],
    ['digits of a code point', '\\x{', '0'],
    ['characters of a name', '(?<', 'n'],
  ])('is found in one pass over %s that do not end', (_what, before, part) => {
    expect(patternSize(before + part.repeat(300_000))).toBeGreaterThan(0);
  });

  it.each([
    ['a', 3],
    ['a{1000}', 1002],
    ['(?:a{1000}){1000}', 1_000_002],
    ['a{1000}'.repeat(580), 580_002],
    ['\\pL{10}', 642],
  ])('is near that of the program: of %s %d', (text, size) => {
    expect(patternSize(text)).toBe(size);
  });
});
