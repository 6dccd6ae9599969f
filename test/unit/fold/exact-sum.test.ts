import { describe, expect, it } from 'vitest';
import { addSums, type ExactSum, exactSum, sumToDouble } from '#shared/core/fold/exact-sum.ts';

function sumOf(...addends: readonly (number | bigint)[]): ExactSum {
  return addends.map(exactSum).reduce(addSums, exactSum(0));
}

describe('exact sum', () => {
  it.each([
    ['nothing', [], 0],
    ['small integers', [1, 2, 3n], 6],
    ['negative zero, which has no sign here', [-0], 0],
    ['opposites', [5, -5], 0],
    ['fractions whose sum is a double', [0.5, 0.25], 0.75],
    ['a large and a small integer', [2 ** 53, 1, -(2 ** 53)], 1],
    ['what naive summation of doubles loses', [1e16, 1, -1e16], 1],
    ['int64s beyond 2^53', [9007199254740993n, 1n], 9007199254740994],
    ['the extremes of int64', [2n ** 63n - 1n, -(2n ** 63n)], -1],
    ['what overflows on the way', [1.7e308, 1.7e308, -1.7e308], 1.7e308],
    ['what overflows for good', [1.7e308, 1.7e308], Number.POSITIVE_INFINITY],
    ['what overflows downwards', [-1.7e308, -1.7e308], Number.NEGATIVE_INFINITY],
    ['subnormal doubles', [5e-324, 5e-324], 1e-323],
    ['the largest and the smallest double', [Number.MAX_VALUE, 5e-324], Number.MAX_VALUE],
    ['a smallest double left over', [Number.MAX_VALUE, 5e-324, -Number.MAX_VALUE], 5e-324],
    ['a tie, to even', [2 ** 53, 1], 2 ** 53],
    ['a tie that the smallest double breaks', [2 ** 53, 1, 5e-324], 2 ** 53 + 2],
    ['a tie at the top that the smallest double breaks', [1e300, 5e-324, -1e300, 3], 3],
    ['ten times a tenth, rounded once', Array.from({ length: 10 }, () => 0.1), 1],
    ['what a tiny addend leaves when it goes', [2 ** 200, 2 ** -100, -(2 ** -100)], 2 ** 200],
    ['an infinity', [1, Number.POSITIVE_INFINITY], Number.POSITIVE_INFINITY],
    ['a negative infinity', [Number.NEGATIVE_INFINITY, 1e308], Number.NEGATIVE_INFINITY],
    [
      'the same infinity twice',
      [Number.POSITIVE_INFINITY, 0.1, Number.POSITIVE_INFINITY],
      Number.POSITIVE_INFINITY,
    ],
    ['both infinities', [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], Number.NaN],
    ['what is not a number', [Number.NaN, Number.POSITIVE_INFINITY, 1], Number.NaN],
  ])('of %s is exact', (_case, addends, expected) => {
    expect(sumToDouble(sumOf(...addends))).toBe(expected);
    expect(sumToDouble(sumOf(...addends.toReversed()))).toBe(expected);
  });

  it('of one negative zero is zero without a sign', () => {
    expect(exactSum(-0)).toBe(0);
  });

  it.each([
    ['a small integer', [7], 7],
    ['a fraction', [0.1], 0.1],
    ['an integer beyond 2^53', [2n ** 53n], '9007199254740992p0'],
    ['a multiple of 2^64', [2 ** 64], '1p64'],
    ['a sum that no double holds', [2 ** 52, 0.25], `${2n ** 116n + 2n ** 62n}p-64`],
    ['an infinity', [Number.NEGATIVE_INFINITY], '-Inf'],
  ])('spells %s so that JSON keeps it', (_case, addends, expected) => {
    expect(sumOf(...addends)).toBe(expected);
  });

  it('spells equal sums alike, however they were made', () => {
    expect(sumOf(2 ** 53, 0.5, -(2 ** 53))).toBe(0.5);
    expect(sumOf(1e300, 0.1, -1e300)).toBe(sumOf(0.1));
    expect(sumOf(2 ** 70, 2 ** 70)).toBe(sumOf(2 ** 71));
    expect(sumOf(0.1, 0.2, -0.1, -0.2)).toBe(0);
  });
});
