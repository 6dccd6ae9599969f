import { describe, expect, it } from 'vitest';
import { RowEvaluation } from '#shared/core/collector/row-evaluation.ts';
import { compile } from '#shared/core/expression/compile.ts';

describe('the evaluation of one row', () => {
  it('counts the steps that all its expressions have taken', () => {
    const row = new RowEvaluation({
      wec: 'edge1',
      activation: { inventory: { name: 'edge1' }, obj: {}, returned: {}, propagation: {} },
    });
    const compilation = compile('[1, 2, 3, 4].all(x, x > 0)');
    if (!compilation.ok) throw new RangeError(compilation.errors[0]?.message);
    expect(row.steps).toBe(0);
    row.evaluate(0, compilation.program);
    const first = row.steps;
    expect(first).toBeGreaterThan(0);
    row.evaluate(1, compilation.program);
    expect(row.steps).toBe(2 * first);
  });
});
