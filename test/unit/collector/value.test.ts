import { describe, expect, it } from 'vitest';
import { toValue, type Value } from '#shared/core/collector/value.ts';
import type { ExpressionValue } from '#shared/core/expression/expression.ts';

describe('a cell', () => {
  it.each<[ExpressionValue, Value]>([
    [{ type: 'null' }, { type: 'Null' }],
    [
      { type: 'bool', value: false },
      { type: 'Bool', bool: false },
    ],
    [
      { type: 'int', value: 9223372036854775807n },
      { type: 'Number', float: '9223372036854775807' },
    ],
    [
      { type: 'double', value: 1_000_000 },
      { type: 'Number', float: '1e+06' },
    ],
    [
      { type: 'double', value: 0.1 * 3 },
      { type: 'Number', float: '0.30000000000000004' },
    ],
    [
      { type: 'double', value: -0 },
      { type: 'Number', float: '-0' },
    ],
    [
      { type: 'double', value: Number.NaN },
      { type: 'Number', float: 'NaN' },
    ],
    [
      { type: 'string', value: '' },
      { type: 'String', string: '' },
    ],
    [
      { type: 'list', value: [1, null] },
      { type: 'Array', array: [1, null] },
    ],
    [
      { type: 'map', value: { a: null } },
      { type: 'Object', object: { a: null } },
    ],
  ])('of %o uses the type and member for it', (value, expected) => {
    expect(toValue(value)).toEqual(expected);
  });
});
