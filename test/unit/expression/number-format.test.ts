import { describe, expect, it } from 'vitest';
import { formatDecimal, formatDouble } from '#shared/core/expression/number-format.ts';

describe('formatDouble', () => {
  it.each([
    [0, '0'],
    [-0, '-0'],
    [1, '1'],
    [-1.5, '-1.5'],
    [0.1 * 3, '0.30000000000000004'],
    [123456.789, '123456.789'],
    [100000, '100000'],
    [999999, '999999'],
    [999999.5, '999999.5'],
    [1000000, '1e+06'],
    [1234567, '1.234567e+06'],
    [-1000000, '-1e+06'],
    [0.0001, '0.0001'],
    [0.00012345, '0.00012345'],
    [0.00001, '1e-05'],
    [1e21, '1e+21'],
    [1.5e300, '1.5e+300'],
    [5e-324, '5e-324'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ])('writes %d as %s, like %%g of Go', (x, text) => {
    expect(formatDouble(x)).toBe(text);
  });
});

describe('formatDecimal', () => {
  it.each([
    [0, '0'],
    [5400, '5400'],
    [1.5, '1.5'],
    [-0.5, '-0.5'],
    [1e-9, '0.000000001'],
    [9223372036.854776, '9223372036.854776'],
    [1e22, '10000000000000000000000'],
  ])('writes %d as %s, without an exponent', (x, text) => {
    expect(formatDecimal(x)).toBe(text);
  });
});
