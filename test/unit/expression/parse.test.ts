import { ParseError } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { noMatchingOverload, unreadableString } from '#shared/core/expression/messages.ts';
import { faultOf } from '#shared/core/expression/syntax-fault.ts';
import { outcome } from './subject.ts';

describe('syntax', () => {
  // cel-go v0.22.0 refuses each of these as well.
  it.each([
    ['9223372036854775808', 'rejected syntax 1:1 invalid int literal'],
    ['18446744073709551616u', 'rejected syntax 1:1 Invalid integer: 18446744073709551616'],
    ['has(obj)', 'rejected syntax 1:5 invalid argument to has() macro'],
    ['has(obj["spec"])', 'rejected syntax 1:5 invalid argument to has() macro'],
    ['has(1)', 'rejected syntax 1:5 invalid argument to has() macro'],
    ['obj.?a', "rejected syntax 1:5 Expected a name, got '?'"],
    ['[1][?0]', "rejected syntax 1:5 Unexpected token: '?'"],
    ['dyn(1)()', "rejected syntax 1:7 Unexpected character: '('"],
    ['1 +// c', 'rejected syntax 1:8 Unexpected token: the end of the expression'],
    ['1 +', 'rejected syntax 1:4 Unexpected token: the end of the expression'],
    ['1 2', "rejected syntax 1:3 Unexpected character: '2'"],
    ['"unterminated', 'rejected syntax 1:1 Unterminated string'],
    ['"bad\\q"', 'rejected syntax 1:5 Invalid escape sequence: \\q'],
    ['1e999', 'rejected syntax 1:1 Invalid number: Infinity'],
    ['1.', 'rejected syntax 1:3 Expected a name, got the end of the expression'],
    ['if', 'rejected syntax 1:1 Reserved identifier: if'],
    ['namespace', 'rejected syntax 1:1 Reserved identifier: namespace'],
    ['obj.in', 'rejected syntax 1:5 Expected a name, got IN'],
    ['obj.null', 'rejected syntax 1:5 Expected a name, got NULL'],
    ['package.x', 'rejected syntax 1:1 Reserved identifier: package'],
    ['()', "rejected syntax 1:2 Unexpected token: ')'"],
    ['-!true', `rejected type 1:1 ${noMatchingOverload('-_', '(bool)')}`],
    [
      '[1].map(1, 1)',
      'rejected syntax 1:9 map(var, transform) invalid predicate iteration variable',
    ],
    [
      '[1].map(x.y, 1)',
      'rejected syntax 1:11 map(var, transform) invalid predicate iteration variable',
    ],
    ['b"\\u0041"', 'rejected syntax 1:3 \\u not allowed in bytes literals'],
    ['"a" "b"', "rejected syntax 1:5 Unexpected character: '\"'"],
    ['"a\nb"', 'rejected syntax 1:3 Newlines not allowed in single-quoted strings'],
  ])('%s is %s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  // docs/cel.md lists these.
  it.each([
    ['{1.0:"x"}', 'error unsupported key type: double'],
    ['{null:"x"}', 'error unsupported key type: null_type'],
    ['{dyn(1.0):"x"}', 'error unsupported key type: double'],
    ['int(obj["num"])', 'int 12'],
    ['double("0x1p-2")', `error ${unreadableString('double')}`],
    ['"abc".matches("(")', 'rejected pattern 1:1 error parsing regexp: missing closing ): `(`'],
    [
      '"abc".matches(dyn("("))',
      'rejected pattern 1:1 error parsing regexp: missing closing ): `(`',
    ],
    [
      'matches("abc", "(" + dyn(string("b")))',
      'rejected pattern 1:1 error parsing regexp: missing closing ): `(b`',
    ],
    [
      '"abc".matches("(?=a)")',
      'rejected pattern 1:1 error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      '"aa".matches("(a)\\\\1")',
      'rejected pattern 1:1 error parsing regexp: invalid escape sequence: `\\1`',
    ],
    ['"\\ud800"', 'rejected syntax 1:2 Invalid Unicode surrogate: \\ud800'],
    ['.5', 'rejected syntax 1:1 Unexpected token: DOT'],
    ['size([1],)', 'int 1'],
    ['[,]', "rejected syntax 1:2 Unexpected token: ','"],
    ['true ? true ? 1 : 2 : 3', 'int 1'],
    ['true == 1 < 2', "rejected syntax 1:1 comparisons '==' and '<' need parentheses"],
    ['true == 1 in [1]', "rejected syntax 1:1 comparisons '==' and 'in' need parentheses"],
    ['b"é"', 'rejected syntax 1:1 bytes literal has a character beyond ASCII'],
  ])('%s gives %s, unlike cel-go', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  it('reports a parser that ran out of stack as nesting', () => {
    const error = new RangeError('Maximum call stack size exceeded');
    expect(faultOf('1', error)).toEqual({
      code: 'too-deep',
      message: 'expression is nested too deeply',
      line: 1,
      column: 1,
    });
  });

  it('puts an error without a place at the start', () => {
    expect(faultOf('1', new ParseError('odd'))).toEqual({
      code: 'syntax',
      message: 'odd',
      line: 1,
      column: 1,
    });
  });
});
