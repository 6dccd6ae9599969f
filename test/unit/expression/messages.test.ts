import { describe, expect, it } from 'vitest';
import { outcome } from './subject.ts';

describe('the errors of cel-go, word for word', () => {
  it.each([
    ['1 + 1.0', "found no matching overload for '_+_' applied to '(int, double)'"],
    ['foo', "undeclared reference to 'foo' (in container '')"],
    ['1.foo', "type 'int' does not support field selection"],
    ['true && 1', "expected type 'bool' but found 'int'"],
    [
      '(1).all(x, true)',
      "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    ['int("a")', "type conversion error from 'string' to 'int'"],
    ['duration(1)', "type conversion error from 'int' to 'google.protobuf.Duration'"],
    [String.raw`string(b"\xff")`, 'invalid UTF-8 in bytes, cannot convert to string'],
    ['obj.spec.list.x', "unsupported index type 'string' in list"],
  ])('%s', (text, error) => {
    expect(outcome(text)).toContain(error);
  });
});
