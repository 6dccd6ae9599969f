import { describe, expect, it } from 'vitest';
import { CollectorPrices } from '#shared/core/collector/collector-prices.ts';
import {
  expensiveRow,
  largePatternsOfCollector,
  REMEDIES,
} from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { Compilation } from '#shared/core/expression/expression.ts';
import {
  expensiveExpression,
  largePattern,
  largePatterns,
} from '#shared/core/expression/messages.ts';
import type { JsonObject } from '#shared/core/json.ts';

const REMEDY = REMEDIES['too-expensive'];
/** Takes at least 1,200 steps: the list, and an iteration for each element. */
const THOUSAND = `[${'0,'.repeat(999)}0].map(i, i).size() > 0`;

const NINETY = `[${'0,'.repeat(89)}dyn(0)]`;

function errorsOf(spec: JsonObject): readonly string[] {
  const compilation = compileStatusCollector(spec);
  return compilation.ok ? [] : compilation.errors;
}

function select(...definitions: readonly (string | JsonObject)[]): JsonObject {
  return { select: definitions.map((def, index) => ({ name: `c${index}`, def })) };
}

describe('what no row can be evaluated for', () => {
  it.each([
    [
      'a pattern',
      `"x".matches("${'a{1000}'.repeat(580)}")`,
      `line 1, column 1: ${largePattern(580002, 5000)}`,
    ],
    [
      'a pattern behind others',
      `true ||\n "x".matches("${'\\\\pL{9}'.repeat(20)}")`,
      `line 2, column 2: ${largePattern(11522, 5000)}`,
    ],
    [
      'patterns together',
      Array(10).fill('"x".matches("a{1000}")').join(' || '),
      `line 1, column 235: ${largePatterns(50, 10000)}`,
    ],
    [
      'classes of Unicode together',
      `"x".matches("${'\\\\pL'.repeat(14)}")`,
      `line 1, column 1: ${largePatterns(50, 10000)}`,
    ],
    [
      'nested iterations',
      `[${'0,'.repeat(99)}0].map(i, [${'0,'.repeat(99)}0].map(j, i))`,
      `line 1, column 1: ${expensiveExpression(11963, 5000)}`,
    ],
  ])('is rejected with its place: %s', (_what, def, error) => {
    expect(errorsOf(select(def))).toEqual([`spec.select[0].def, ${error}; ${REMEDY}`]);
  });

  it.each([
    ['a choice of two', `(true ? ${NINETY} : ${NINETY}).map(i, ${NINETY}.map(j, i))`],
    ['dyn', `dyn(${NINETY}).map(i, ${NINETY}.map(j, i))`],
    ['a sum of lists', `(${NINETY} + ${NINETY}).map(i, ${NINETY}.map(j, i))`],
    ['a list that is made', `${NINETY}.map(k, k).exists_one(i, ${NINETY}.map(j, i) == [])`],
  ])('knows the least size of %s', (_what, def) => {
    expect(errorsOf(select(def))).toEqual([
      expect.stringMatching(/takes at least \d+ steps, whatever the data; a row has 5000; /),
    ]);
  });

  it.each([
    ['an element that decides', `${NINETY}.exists(i, ${NINETY}.map(j, i) == [])`],
    ['elements of a status', `returned.status.l.map(i, ${NINETY}.map(j, i))`],
    ['a filtered list', `${NINETY}.filter(k, k > 0).map(i, ${NINETY}.map(j, i))`],
    ['a map', `{1: 1, 1: 2}.map(i, ${NINETY}.map(j, i))`],
    ['another call', `(${NINETY})[0].map(i, ${NINETY}.map(j, i))`],
    ['a time zone', 'timestamp(0).getHours("Europe/Berlin") == timestamp(0).getHours()'],
  ])('knows no more of %s', (_what, def) => {
    expect(errorsOf(select(def))).toEqual([]);
  });

  it('is rejected if the expressions of a row take too much together', () => {
    const list = `[${'0,'.repeat(899)}0]`;
    const def = `${list} == ${list}.map(i, i) ? 1 : 2`;
    expect(errorsOf(select(def, def))).toEqual([]);
    const errors = errorsOf({
      filter: `${list}.map(i, i) == ${list}`,
      ...select(...Array<string>(20).fill(def)),
    });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(
      /^spec\.select\[\d+\]\.def: takes at least \d+ steps with the expressions before it, whatever the data; a row has 5000; /,
    );
  });

  it('is rejected if there are more expressions than steps', () => {
    const prices = new CollectorPrices();
    const cheapest = { leastSteps: { value: 1, failure: 1 }, patternsSize: 0 };
    const affordable = Array.from({ length: 5_000 }, () => prices.add(cheapest));
    expect(new Set(affordable)).toEqual(new Set([undefined]));
    expect(prices.exceeded).toBe(false);
    expect(prices.add(cheapest)).toBe(expensiveRow(5001, 5000));
    expect(prices.exceeded).toBe(true);
  });

  it('is rejected if the patterns of all expressions are too large together', () => {
    const errors = errorsOf(select(...Array<string>(12).fill('"x".matches("a{1000}")')));
    expect(errors).toEqual([
      `spec.select[9].def: ${largePatternsOfCollector(10520, 10000)}; ${REMEDY}`,
    ]);
  });

  it('counts the patterns of each argument of the older form', () => {
    const args = Array<string>(12).fill('"x".matches("a{1000}")');
    const errors = errorsOf(select({ op: 'Or', args }, '1'));
    expect(errors).toEqual([
      `spec.select[0].def.args[9]: ${largePatternsOfCollector(10520, 10000)}; ${REMEDY}`,
    ]);
  });

  it('counts the patterns of expressions that cannot be used, so that they are not compiled without end', () => {
    const bad = '"x".matches("a{1000}") + 1';
    const errors = errorsOf(select(...Array<string>(50).fill(bad)));
    expect(errors).toHaveLength(11);
    expect(errors[10]).toBe(
      `spec.select[9].def: ${largePatternsOfCollector(10520, 10000)}; ${REMEDY}`,
    );
    expect(errorsOf(select({ op: 'Or', args: Array<string>(50).fill(bad) }))).toHaveLength(11);
  });

  it('counts the patterns of a translated expression that cannot be used', () => {
    const texts: string[] = [];
    const compileText = (text: string): Compilation => {
      texts.push(text);
      return { ok: false, errors: [], patternsSize: 10_001 };
    };
    compileStatusCollector(select({ op: 'Path', path: '$.status' }, 'next'), compileText);
    expect(texts).toEqual(['returned.status']);
  });

  it('is rejected without the errors of more expressions than a status lists', () => {
    expect(errorsOf(select(...Array<string>(3).fill(`[${'a,'.repeat(60)}a]`)))).toHaveLength(122);
    expect(errorsOf(select(`[${'a,'.repeat(600)}a]`, 'a'))).toHaveLength(100);
    expect(errorsOf(select({ op: 'Or', args: Array<string>(5_000).fill('') }))).toHaveLength(100);
  });

  it('is not rejected if some data can be evaluated', () => {
    expect(errorsOf(select(`true || ${THOUSAND}`, THOUSAND, THOUSAND, THOUSAND))).toEqual([]);
  });
});
