import { describe, expect, it } from 'vitest';
import { notANumber } from '#shared/core/collector/messages.ts';
import { subjectNumber } from '#shared/core/collector/subject-number.ts';
import type { ExpressionValue } from '#shared/core/expression/expression.ts';

describe('the number of a subject', () => {
  it.each<[ExpressionValue, number | bigint]>([
    [{ type: 'int', value: 9007199254740993n }, 9007199254740993n],
    [{ type: 'double', value: 0.5 }, 0.5],
  ])('of %o is the value itself', (value, expected) => {
    expect(subjectNumber(value)).toEqual({ ok: true, value: expected });
  });

  it.each<[string, number | bigint]>([
    ['5', 5],
    ['-5', -5],
    ['+5', 5],
    ['007', 7],
    ['9007199254740993', 9007199254740993n],
    ['+9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['-9223372036854775809', -(2 ** 63)],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['1e-400', 0],
    ['Inf', Number.POSITIVE_INFINITY],
    ['+inf', Number.POSITIVE_INFINITY],
    ['-INFINITY', Number.NEGATIVE_INFINITY],
    ['NaN', Number.NaN],
    ['nan', Number.NaN],
  ])('of the string %j is what it spells', (text, expected) => {
    expect(subjectNumber({ type: 'string', value: text })).toEqual({ ok: true, value: expected });
  });

  it.each([
    '',
    ' 5 ',
    '5 ',
    '1_000',
    '0x10',
    '1e400',
    '9'.repeat(400),
    '1e',
    '.',
    '-',
    '--5',
    '+NaN',
    'infin',
    '1,5',
    '٣',
    'Running',
  ])('of the string %j is an error', (text) => {
    expect(subjectNumber({ type: 'string', value: text })).toMatchObject({ ok: false });
  });

  it.each<[ExpressionValue, string]>([
    [{ type: 'null' }, notANumber('a value of type null')],
    [{ type: 'bool', value: true }, notANumber('a value of type bool')],
    [{ type: 'list', value: [] }, notANumber('a value of type list')],
    [{ type: 'map', value: {} }, notANumber('a value of type map')],
    [{ type: 'string', value: '5"' }, notANumber('the string "5\\""')],
    [
      { type: 'string', value: 'x'.repeat(65) },
      notANumber(`the string "${'x'.repeat(64)}"... (65 characters)`),
    ],
    [{ type: 'string', value: 'x'.repeat(64) }, notANumber(`the string "${'x'.repeat(64)}"`)],
  ])('of %o is an error that shows the value', (value, error) => {
    expect(subjectNumber(value)).toEqual({ ok: false, error });
  });
});
