import { describe, expect, it } from 'vitest';
import { expensiveShare, shareReason, smallShare } from '#shared/core/collector/messages.ts';
import { RowEvaluation } from '#shared/core/collector/row-evaluation.ts';
import { errorTexts, shareOf, tooSmall, WHOLE_SHARE } from '#shared/core/collector/share.ts';
import { compile } from '#shared/core/expression/compile.ts';
import type { Program } from '#shared/core/expression/expression.ts';
import { MAX_OBJECT_ROWS_BYTES, MAX_OBJECT_STEPS } from '#shared/core/limits.ts';

function program(text: string): Program {
  const compilation = compile(text);
  if (!compilation.ok) throw new RangeError(compilation.errors[0]?.message);
  return compilation.program;
}

function rowOf(bindings: number, collectors: number): RowEvaluation {
  const row = {
    wec: 'edge1',
    activation: { inventory: { name: 'edge1' }, obj: {}, returned: {}, propagation: {} },
  };
  return new RowEvaluation(row, shareOf(bindings, collectors));
}

describe("a collector's share of an object", () => {
  it.each([
    [0, 0],
    [1, 1],
    [1, 12],
    [3, 4],
    [12, 1],
  ])('is the whole with %i Bindings of %i collectors', (bindings, collectors) => {
    expect(shareOf(bindings, collectors)).toBe(WHOLE_SHARE);
  });

  it.each([
    [1, 13, 4923, 983_040],
    [2, 32, 1000, 524_288],
    [64, 100, 10, 5242],
  ])(
    'with %i Bindings of %i collectors is %i steps and %i bytes',
    (...[bindings, collectors, steps, bytes]) => {
      expect(shareOf(bindings, collectors)).toMatchObject({ steps, bytes });
      expect(steps * bindings * collectors).toBeLessThanOrEqual(MAX_OBJECT_STEPS);
    },
  );

  it('is smaller than the whole by its bytes alone, where those run out first', () => {
    const most = Math.floor(MAX_OBJECT_ROWS_BYTES / WHOLE_SHARE.bytes);
    expect(shareOf(1, most)?.bytes).toBe(WHOLE_SHARE.bytes);
    expect(shareOf(1, most + 1)?.bytes).toBeLessThan(WHOLE_SHARE.bytes);
  });

  it.each([
    [65, 100, 1, 9, 10],
    [64, 100, 11, 10, 11],
  ])(
    'of one of %i x %i is too small for %i columns',
    (...[bindings, collectors, columns, may, takes]) => {
      expect(tooSmall(shareOf(bindings, collectors), columns)).toBe(
        smallShare(may, takes, shareReason(collectors, bindings)),
      );
    },
  );

  it('is large enough for as many columns as it has steps', () => {
    expect(tooSmall(shareOf(64, 100), 10)).toBeUndefined();
    expect(tooSmall(WHOLE_SHARE, 100)).toBeUndefined();
  });

  it.each([
    [1, 1, 100],
    [1, 9, 100],
    [1, 10, 98],
    [1, 100, 9],
    [60, 1, 5],
    [60, 10, 1],
  ])(
    'with %i Bindings of 100 collectors, or one alone, of %i columns',
    (...[bindings, columns, texts]) => {
      const share = bindings === 1 ? WHOLE_SHARE : shareOf(bindings, 100);
      expect(errorTexts(share, columns)).toBe(texts);
    },
  );

  it('ends an evaluation with an error that says whose share it was and what to do', () => {
    const row = rowOf(64, 100);
    expect(row.evaluate(0, program('1 + 1'))).toEqual({ type: 'int', value: 2n });
    expect(row.evaluate(1, program('[1,2,3,4,5,6,7,8,9].all(x, x > 0)'))).toBeUndefined();
    expect(row.errors).toEqual([
      {
        column: 1,
        wecs: 1,
        first: [['edge1', expensiveShare(10, shareReason(100, 64))]],
      },
    ]);
    expect(row.steps).toBe(10);
  });

  it('names a single collector and a single Binding as such', () => {
    expect(shareOf(1, 13)?.reason).toContain('one of 13 collectors of one of 1 Binding with');
    expect(shareOf(13, 1)?.reason).toContain('one of 1 collector of one of 13 Bindings with');
  });

  it('leaves other errors as they are', () => {
    const row = rowOf(64, 100);
    row.evaluate(0, program('1 / 0'));
    expect(row.errors[0]?.first[0]?.[1]).toBe('division by zero');
  });
});
