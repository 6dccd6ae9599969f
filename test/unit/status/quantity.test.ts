import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#shared/core/json.ts';
import { isSameQuantity } from '#shared/core/status/quantity.ts';

describe('two quantities', () => {
  it.each<[JsonValue, JsonValue]>([
    [0.5, '500m'],
    ['1000m', '1'],
    [1, '1.0'],
    ['1Gi', '1024Mi'],
    ['1.5Gi', '1536Mi'],
    ['1Ki', 1024],
    ['2E', '2e18'],
    ['2E', '2E18'],
    ['1Ei', '1152921504606846976'],
    ['100n', '0.1u'],
    ['.5', '0.5'],
    ['5.', '+5'],
    ['-0.5', '-500m'],
    [1e-7, '100n'],
    [0, '0Mi'],
    ['3T', '3000G'],
    ['3P', '3000T'],
    ['7M', '7000k'],
  ])('are the same: %j and %j', (a, b) => {
    expect(isSameQuantity(a, b)).toBe(true);
    expect(isSameQuantity(b, a)).toBe(true);
  });

  it.each<[JsonValue | undefined, JsonValue]>([
    ['500m', '501m'],
    ['1G', '1Gi'],
    ['1', '-1'],
    ['9007199254740993', '9007199254740992'],
    ['0.1', '0.1000000000000000000001'],
    ['1k', '1K'],
    [undefined, 'undefined'],
    ['', ''],
    ['m', 'm'],
    ['1 Gi', '1 Gi'],
    ['1e400', '1e400'],
    ['much', 'much'],
    [true, true],
    [['5'], '5'],
    [null, 0],
  ])('are not: %j and %j', (a, b) => {
    expect(isSameQuantity(a, b)).toBe(false);
  });
});
