import { describe, expect, it } from 'vitest';
import { compareKeys, type KeyAtom, keyAtom, keyCell } from '#shared/core/collector/group-key.ts';
import type { Value } from '#shared/core/collector/value.ts';
import type { ExpressionValue } from '#shared/core/expression/expression.ts';
import { expressionValue } from '#test/property/collector/field-program.ts';

function double(value: number): ExpressionValue {
  return { type: 'double', value };
}

function int(value: bigint): ExpressionValue {
  return { type: 'int', value };
}

function atomOf(value: ExpressionValue): KeyAtom {
  const atom = keyAtom(value);
  if (atom === undefined) throw new Error(`${value.type} is no group key`);
  return atom;
}

describe('a group key', () => {
  it.each<[string, ExpressionValue, Value]>([
    ['null', { type: 'null' }, { type: 'Null' }],
    ['a bool', { type: 'bool', value: true }, { type: 'Bool', bool: true }],
    ['a string', { type: 'string', value: '1' }, { type: 'String', string: '1' }],
    ['an int', int(3n), { type: 'Number', float: '3' }],
    ['an int beyond 2^53', int(9007199254740993n), { type: 'Number', float: '9007199254740993' }],
    ['the smallest int', int(-(2n ** 63n)), { type: 'Number', float: '-9223372036854775808' }],
    ['an integral double', double(1_000_000), { type: 'Number', float: '1000000' }],
    ['negative zero', double(-0), { type: 'Number', float: '0' }],
    ['a fraction', double(1e-7), { type: 'Number', float: '1e-07' }],
    ['a double beyond int64', double(2 ** 63), { type: 'Number', float: '9.223372036854776e+18' }],
    ['a double below int64', double(-1e300), { type: 'Number', float: '-1e+300' }],
    ['what is not a number', double(Number.NaN), { type: 'Number', float: 'NaN' }],
    ['an infinity', double(Number.POSITIVE_INFINITY), { type: 'Number', float: '+Inf' }],
    ['the other infinity', double(Number.NEGATIVE_INFINITY), { type: 'Number', float: '-Inf' }],
  ])('of %s has a cell', (_case, value, cell) => {
    expect(keyCell(atomOf(value))).toEqual(cell);
  });

  it.each<[ExpressionValue]>([[{ type: 'list', value: [] }], [{ type: 'map', value: {} }]])(
    'is never %o',
    (value) => {
      expect(keyAtom(value)).toBe(undefined);
    },
  );

  it.each<[ExpressionValue, ExpressionValue]>([
    [int(1n), double(1)],
    [int(0n), double(-0)],
    [int(2n ** 53n), double(2 ** 53)],
    [int(-(2n ** 63n)), double(-(2 ** 63))],
    [double(Number.NaN), double(Number.NaN)],
  ])('is the same for %o and %o', (a, b) => {
    expect(compareKeys([atomOf(a)], [atomOf(b)])).toBe(0);
    expect(atomOf(a)).toEqual(atomOf(b));
  });

  it('is ordered null, bools, numbers by value, NaN, strings by code unit', () => {
    const ordered = [
      { type: 'null' } as const,
      ...[false, true].map(expressionValue),
      ...[-Infinity, -1e300].map(double),
      ...[-(2n ** 63n), -9007199254740993n, -9007199254740992n].map(int),
      ...[-1.5, 0, 1e-300, 2].map(expressionValue),
      ...[10n, 9007199254740991n, 9007199254740992n, 9007199254740993n].map(int),
      ...[1e300, Infinity, Number.NaN].map(double),
      ...['', '-1', '10', '2', 'B', 'a', '\u{1F600}', '\uFFEE'].map(expressionValue),
    ].map(atomOf);
    for (const [i, a] of ordered.entries())
      for (const [j, b] of ordered.entries())
        expect(Math.sign(compareKeys([a], [b]))).toBe(Math.sign(i - j));
  });

  it('is ordered by its first column that differs', () => {
    expect(compareKeys(['a', 1, 'z'], ['a', 2, 'b'])).toBeLessThan(0);
    expect(compareKeys(['a', 1], ['a', 1])).toBe(0);
  });
});
