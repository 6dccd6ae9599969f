import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSums, type ExactSum, exactSum, sumToDouble } from '#shared/core/fold/exact-sum.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const powerOfTwo = fc
  .tuple(fc.integer({ min: -1074, max: 1023 }), fc.constantFrom(1, -1))
  .map(([exponent, sign]) => sign * 2 ** exponent);
const finite = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  int64,
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constantFrom(-0, 0.1, 0.2, 0.5, -0.5, 1e16, -1e16, 2 ** 53, -(2 ** 53), 2 ** 70, 5e-324),
  fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE),
  powerOfTwo,
);
const nonFinite = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);

const sum: Fold<number | bigint, ExactSum, number> = {
  empty: exactSum(0),
  lift: exactSum,
  merge: addSums,
  finish: sumToDouble,
};

const SCALE_BITS = 1074n;

/** The addend in units of the smallest double, by way of its bits. */
function scaled(addend: number | bigint): bigint {
  if (typeof addend === 'bigint') return addend << SCALE_BITS;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, addend);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & (2n ** 52n - 1n);
  const magnitude = exponent === 0n ? fraction : (fraction | (2n ** 52n)) << (exponent - 1n);
  return bits >> 63n === 1n ? -magnitude : magnitude;
}

/** The nearest double of a number of smallest doubles: its exact decimal digits, read by the engine. */
function nearest(units: bigint): number {
  return Number(`${units * 5n ** SCALE_BITS}e-${SCALE_BITS}`);
}

describe('exact sum, as a fold', () => {
  checkFoldLaws(
    sum,
    fc.oneof({ weight: 30, arbitrary: finite }, { weight: 1, arbitrary: nonFinite }),
  );
});

describe('exact sum of addends that cancel, as a fold', () => {
  checkFoldLaws(sum, fc.constantFrom(0.5, -0.5, 2 ** 70, -(2 ** 70), 1, 2 ** 53));
});

describe('exact sum, against integer arithmetic', () => {
  it('is the double nearest to the exact sum, and the same text for the same value', () => {
    fc.assert(
      fc.property(fc.array(finite, { maxLength: 12 }), (addends) => {
        const part = addends.map(exactSum).reduce(addSums, exactSum(0));
        const units = addends.map(scaled).reduce((a, b) => a + b, 0n);
        expect(sumToDouble(part)).toBe(units === 0n ? 0 : nearest(units));
        if (units === 0n) expect(part).toBe(0);
      }),
      { numRuns: 3000 },
    );
  });
});
