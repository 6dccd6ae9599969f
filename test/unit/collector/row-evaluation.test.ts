import { describe, expect, it } from 'vitest';
import { RowEvaluation } from '#shared/core/collector/row-evaluation.ts';
import { compile } from '#shared/core/expression/compile.ts';
import type { Program } from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';

function program(text: string): Program {
  const compilation = compile(text);
  if (!compilation.ok) throw new RangeError(compilation.errors[0]?.message);
  return compilation.program;
}

/** The steps that the row has taken after each of the expressions. */
function stepsAfter(...texts: readonly string[]): readonly number[] {
  const row = new RowEvaluation({
    wec: 'edge1',
    activation: { inventory: { name: 'edge1' }, obj: {}, returned: {}, propagation: {} },
  });
  expect(row.steps).toBe(0);
  return texts.map((text, column) => {
    row.evaluate(column, program(text));
    return row.steps;
  });
}

describe('the evaluation of one row', () => {
  it('counts the steps that all its expressions have taken', () => {
    const eight = '[1, 2, 3, 4, 5, 6, 7, 8].all(x, x > 0)';
    expect(stepsAfter(eight, eight)).toEqual([10, 20]);
  });

  it('counts whole steps, and rounds their sum up but once', () => {
    const four = '[1, 2, 3, 4].all(x, x > 0)';
    expect(stepsAfter(four, four)).toEqual([6, 11]);
  });

  it('counts no more steps than a row has', () => {
    const hundred = `[${'1,'.repeat(99)}1]`;
    const dear = `${hundred}.all(x, x == 0 || ${hundred}.all(y, y > 0))`;
    expect(stepsAfter('1', dear, '1')).toEqual([1, MAX_STEPS, MAX_STEPS]);
  });
});
