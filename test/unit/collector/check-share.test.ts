import { describe, expect, it } from 'vitest';
import { CheckShares, checkCost } from '#shared/core/collector/check-share.ts';
import type { CollectorNaming } from '#shared/core/collector/compiled-share.ts';
import { MAX_OBJECT_CHECK_COST } from '#shared/core/limits.ts';

function naming(binding: string, ...statusCollectors: readonly string[]): CollectorNaming {
  return { binding, modulation: { statusCollectors } };
}

describe('the cost of checking a StatusCollector', () => {
  it('counts its characters, its storage, and the patterns that it may have', () => {
    const spec = { select: [{ name: 'a', def: '1' }] };
    expect(checkCost(spec)).toBe(10_000 + JSON.stringify(spec).length);
    const pattern = { select: [{ name: 'a', def: '"x".matches//\n("a{1000}")' }] };
    expect(checkCost(pattern)).toBe(110_000 + JSON.stringify(pattern).length);
    expect(checkCost(undefined)).toBe(10_004);
  });
});

describe('the shares of Bindings in the checks of an object', () => {
  const half = MAX_OBJECT_CHECK_COST / 2;

  it('are equal among the Bindings that name collectors', () => {
    const shares = new CheckShares([naming('a', 'x', 'y', 'z'), naming('b'), naming('c', 'w')]);
    expect(shares.take('x', half - 1)).toBe(true);
    expect(shares.take('y', 2)).toBe(false);
    expect(shares.take('z', 1)).toBe(true);
    expect(shares.take('w', half)).toBe(true);
  });

  it('of all that name a collector pay for it, and one that can is enough', () => {
    const shares = new CheckShares([naming('a', 'x', 'y'), naming('b', 'y', 'z')]);
    expect(shares.take('x', half)).toBe(true);
    expect(shares.take('y', half)).toBe(true);
    expect(shares.take('z', 1)).toBe(false);
  });

  it('leave room for the first collector, however dear it is', () => {
    const shares = new CheckShares([naming('a', 'x', 'y')]);
    expect(shares.take('x', 2 * MAX_OBJECT_CHECK_COST)).toBe(true);
    expect(shares.take('y', 2 * MAX_OBJECT_CHECK_COST)).toBe(false);
  });

  it('of 64 Bindings are enough for a collector with patterns', () => {
    const shares = new CheckShares(Array.from({ length: 64 }, (_b, i) => naming(`b${i}`, `c${i}`)));
    const spec = { filter: 'returned.status.phase.matches("^Run")', combinedFields: [] };
    const taken = Array.from({ length: 64 }, (_b, i) => shares.take(`c${i}`, checkCost(spec)));
    expect(taken).not.toContain(false);
  });

  it('of no Binding allow the first collector only', () => {
    const shares = new CheckShares([]);
    expect([shares.take('x', 1), shares.take('y', 1)]).toEqual([true, false]);
  });
});
