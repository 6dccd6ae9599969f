import { describe, expect, it } from 'vitest';
import { compile } from '#shared/core/expression/compile.ts';
import type { Activation, Budget } from '#shared/core/expression/expression.ts';
import { evaluationText } from './subject.ts';

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

const ACTIVATION: Activation = {
  inventory: { name: 'edge1' },
  obj: {
    sixty: numbers(60),
    hundred: numbers(100),
    many: numbers(10_000),
    keys: Object.fromEntries(numbers(1000).map((i) => [`k${i}`, i])),
    text: `${'a'.repeat(10_000)}!`,
    same: `${'a'.repeat(10_000)}!`,
    pattern: 'abc',
    none: '(',
    letters: '\\pL\\P{^Lu}',
    large: 'a{1000}'.repeat(6),
  },
  returned: {},
  propagation: {},
};
const EXCEEDED = 'error operation cancelled: actual cost limit exceeded';

function evaluate(text: string, budget: Budget): string {
  const compilation = compile(text);
  if (!compilation.ok) return `rejected ${compilation.errors[0]?.message}`;
  return evaluationText(compilation.program.evaluate(ACTIVATION, budget));
}

function spent(text: string): number {
  const budget = { remaining: 1_000_000, exceeded: false };
  evaluate(text, budget);
  return 1_000_000 - budget.remaining;
}

describe('budget', () => {
  it.each([
    ['nested loops', 'obj.hundred.all(a, obj.hundred.all(b, obj.hundred.all(c, c == c)))'],
    [
      'nested loops under an operator that absorbs errors',
      'true || obj.many.all(a, obj.many.all(b, true))',
    ],
    [
      'an iteration that builds a long literal',
      `obj.hundred.map(a, obj.hundred.map(b, [${'0,'.repeat(1500)}0]))`,
    ],
    [
      'an iteration that builds a large map',
      `obj.many.map(a, {${numbers(300).map((i) => `${i}:0`)}})`,
    ],
    ['a list that doubles', `[[1]]${'.map(a, a + a)'.repeat(40)}.size()`],
    ['a text that doubles', `["aaaaaaaa"]${'.map(a, a + a)'.repeat(60)}[0].size()`],
    ['bytes that double', `[b"aaaaaaaa"]${'.map(a, a + a)'.repeat(60)}[0].size()`],
    [
      'values that share their parts, compared',
      `[[1]]${'.map(a, [a, a])'.repeat(60)} == [[1]]${'.map(a, [a, a])'.repeat(60)}`,
    ],
    [
      'values that share their parts, compared as unequal',
      `[[1]]${'.map(a, [a, a])'.repeat(60)} != [[1]]${'.map(a, [a, a])'.repeat(60)}`,
    ],
    ['lists that share their parts, given out', `[[1]]${'.map(a, [a, a])'.repeat(60)}`],
    [
      'maps that share their parts, given out',
      `[{"k": 1}]${'.map(a, {"a": a, "b": a})'.repeat(60)}`,
    ],
    ['types, given out often', `[[${'int, '.repeat(600)}int]]${'.map(a, [a, a, a, a])'.repeat(8)}`],
    ['empty bytes, given out often', `[b""]${'.map(a, [a, a, a, a])'.repeat(12)}`],
    ['membership in a long list', 'obj.hundred.all(a, obj.hundred.all(b, !(-1 in obj.many)))'],
    [
      'membership among values that share their parts',
      `[[1]]${'.map(a, [a, a])'.repeat(40)} in [[[1]]${'.map(a, [a, a])'.repeat(40)}]`,
    ],
    ['search in a long text', 'obj.many.all(a, !obj.text.contains("b"))'],
    ['comparison of long texts', 'obj.many.all(a, obj.text <= obj.same)'],
    ['size of a long text', 'obj.many.all(a, size(obj.text) > 0)'],
    ['a pattern over a long text', 'obj.many.all(a, !obj.text.matches("(x+x+)+y"))'],
    ['equality of long texts', 'obj.many.all(a, obj.text == obj.same)'],
    ['computed patterns', 'obj.many.all(a, !"x".matches("y" + string(a)))'],
    ['the keys of a large map', 'obj.many.all(a, obj.keys.all(k, true))'],
  ])('stops %s', (_what, text) => {
    const budget = { remaining: 20_000, exceeded: false };
    expect(evaluate(text, budget)).toBe(text.startsWith('true ||') ? 'bool true' : EXCEEDED);
    expect(budget.exceeded).toBe(!text.startsWith('true ||'));
  });

  it.each([
    ['false || obj.many.all(a, true) || true'],
    ['obj.many.exists(a, obj.many.all(b, true)) || true'],
    ['[1, 2].exists(a, a == 2 || obj.many.all(b, true))'],
    ['obj.many.all(a, true) ? 1 : 2'],
    ['{"a": obj.keys.map(k, k)}'],
    ['obj.keys.all(k, true)'],
    ['"a" in obj.many'],
    ['size(obj.text + obj.text)'],
    ['matches(obj.text, "a" + "b")'],
    ['size(obj.keys)'],
    ['obj.keys == dyn({"k": 1})'],
    ['obj.text.contains("b")'],
    ['int(obj.text)'],
    ['duration(obj.text)'],
    ['bytes(obj.text) == b""'],
    ['obj.keys[obj.text]'],
    ['obj.text in obj.keys'],
    ['obj.text.startsWith(obj.same)'],
    ['timestamp(0).getHours("Europe/Berlin")'],
    ['timestamp(0).getHours()'],
    ['string(timestamp(0))'],
    ['timestamp(0)'],
    ['b"abc"'],
    ['[b"abc"]'],
    ['obj.text'],
    ['obj.many'],
    ['obj.keys'],
    ['[1, 2, 3, 4, 5, 6, 7, 8, 9]'],
    ['{1: 1, 2: 2, 3: 3, 4: 4, 5: 5}'],
  ])('lets nothing absorb an exceeded budget: %s', (text) => {
    const budget = { remaining: 1, exceeded: false };
    expect(evaluate(text, budget)).toBe(EXCEEDED);
  });

  it('rejects every evaluation after it was exceeded', () => {
    const budget = { remaining: 10, exceeded: false };
    expect(evaluate('obj.many.all(a, true)', budget)).toBe(EXCEEDED);
    budget.remaining = 1_000_000;
    expect(evaluate('1', budget)).toBe(EXCEEDED);
  });

  it.each([
    ['a list', 'obj.many'],
    ['an object', 'obj.keys'],
  ])('ends in the middle of %s that is given out', (_name, text) => {
    const whole = spent(text);
    const budget = { remaining: whole / 2, exceeded: false };
    expect(evaluate(text, budget)).toBe(EXCEEDED);
    // What the next element or key takes, and no more.
    expect(budget.remaining).toBeGreaterThan(-1);
  });

  it('is shared by evaluations', () => {
    const budget = { remaining: 150, exceeded: false };
    expect(evaluate('obj.hundred.all(a, true)', budget)).toBe('bool true');
    expect(evaluate('obj.hundred.all(a, true)', budget)).toBe(EXCEEDED);
  });

  it.each([
    ['1', 1],
    ['obj.sixty[0] == obj.hundred[0]', 1 + 1 / 4],
    ['obj.hundred.all(a, true)', 1 + 100],
    ['obj.hundred.exists(a, a == 9)', 1 + 10 + 10 / 4],
    [`obj.hundred.all(a, ${'a == a && '.repeat(20)}true)`, 5 + 400 + 2000 / 4],
    ['size(obj.sixty.map(a, obj.sixty.map(b, b)))', 1 + 60 + 60 * 60],
    ['size(obj.hundred + obj.sixty)', 1 + 20],
    ['"a" in obj.keys', 1 + 1 / 128],
    ['-1 in obj.many', 1 + 2500],
    ['obj.text == obj.same', 1 + 1 / 4 + 10_001 / 4096],
    ['obj.text == obj.text + "a"', 1 + 1 / 4 + 10_002 / 256],
    ['obj.text < obj.same', 1 + 10_001 / 128],
    ['obj.hundred == obj.hundred', 1 + 1 / 4],
    ['obj.hundred == obj.sixty + obj.sixty', 1 + 1 / 4 + 15],
    ['size(obj.keys)', 1 + 1000 / 4],
    ['size(obj.text)', 1 + 10_001 / 128],
    ['size(b"abc")', 1],
    ['obj.text.contains("b")', 1 + 10_002 / 48],
    ['obj.text.startsWith("ab")', 1 + 2 / 128],
    ['obj.keys["k1"]', 1 + 2 / 128],
    ['size(string(bytes(obj.text)))', 1 + 2 * (10_001 / 48) + 10_001 / 128],
    ['timestamp("2024-05-06T07:08:09Z") == timestamp(0)', 1 + 20 / 4 + 1 / 4],
    ['timestamp(0).getHours()', 2],
    ['timestamp(0).getHours("UTC")', 2],
    ['timestamp(0).getHours("+01:00")', 2],
    ['timestamp(0).getHours("Europe/Berlin")', 1 + 60],
    ['duration("1h").getHours()', 1 + 1 + 2 / 4],
    ['int("1" + "2")', 1 + 2 / 256 + 2 / 128],
    ['obj.sixty[0] == 0 ? "abc" : ""', 1 + 1 / 4 + 19 / 128],
    ['obj.hundred', 1 + (25 + 100 * 16) / 128],
    ['[0, 1.5, "a"]', 1 + 3 / 8 + (25 + 16 + 25 + 17) / 128],
    ['{"a": true}', 1 + 1 / 8 + 1 / 4 + (25 + 17 + 16) / 128],
    ['obj.hundred.map(i, obj.text)', 1 + 100 + (25 + 100 * (10_001 + 16)) / 128],
    ['b"abc"', 1 + 16 / 128 + 3 / 48],
    ['int', 1 + 19 / 128],
    ['[b"", int, ""]', 1 + 3 / 8 + (25 + 16 + 19 + 16) / 128],
    ['"x".matches("abc")', 1 + 3 + (2 * 5) / 64],
    ['"x".matches("a" + "bc")', 1 + 3 + (2 * 5) / 64],
    ['"x".matches(obj.pattern)', 1 + (3 + 5) + 32 + 3 + (2 * 5) / 64],
    ['"x".matches(obj.letters)', 1 + (10 + 130 + 686 + 656) + 32 + 3 + (2 * 130) / 64],
    ['"x".matches(obj.none)', 1 + (1 + 5) + 32],
    ['"x".matches(obj.large)', 1 + 6 * 7],
    ['"x".matches(obj.text)', 1 + 4096],
    ['obj.keys[1.5]', 1 + 1],
    ['1.5 in obj.keys', 1 + 1],
  ])('pays for %s with %d steps', (text, steps) => {
    expect(spent(text)).toBeCloseTo(steps, 6);
  });

  it('asks the same for a computed pattern that is kept compiled', () => {
    const text = '"x".matches("a" + inventory.name)';
    const first = spent(text);
    expect(first).toBeGreaterThan(6);
    expect(spent(text)).toBe(first);
  });

  it.each([
    ['(a+)+$', 'bool false'],
    ['(a|a)*$', 'bool true'],
    ['(x+x+)+y', 'bool false'],
  ])('matches the pattern %s in linear time', (pattern, expected) => {
    const budget = { remaining: 5_000, exceeded: false };
    expect(evaluate(`obj.text.matches("${pattern}")`, budget)).toBe(expected);
  });
});
