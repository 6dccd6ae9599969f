import { describe, expect, it } from 'vitest';
import { outcome } from './subject.ts';

describe('static check', () => {
  // cel-go v0.22.0 refuses each of these as well.
  it.each([
    [
      'inventory.name == 1',
      "rejected type 1:1 found no matching overload for '_==_' applied to '(string, int)'",
    ],
    [
      '1 == 1.0',
      "rejected type 1:1 found no matching overload for '_==_' applied to '(int, double)'",
    ],
    [
      '1 < 1.5',
      "rejected type 1:1 found no matching overload for '_<_' applied to '(int, double)'",
    ],
    [
      '2 in [1.0]',
      "rejected type 1:1 found no matching overload for '@in' applied to '(int, list(double))'",
    ],
    [
      '1 == null',
      "rejected type 1:1 found no matching overload for '_==_' applied to '(int, null)'",
    ],
    [
      '"abc"[0]',
      "rejected type 1:1 found no matching overload for '_[_]' applied to '(string, int)'",
    ],
    [
      '[1, 2][1.0]',
      "rejected type 1:1 found no matching overload for '_[_]' applied to '(list(int), double)'",
    ],
    [
      'true ? 1 : "a"',
      "rejected type 1:1 found no matching overload for '_?_:_' applied to '(bool, int, string)'",
    ],
    ['true && 1', "rejected type 1:9 expected type 'bool' but found 'int'"],
    ['foo', "rejected undeclared-reference 1:1 undeclared reference to 'foo' (in container '')"],
    [
      'obj.foo()',
      "rejected undeclared-reference 1:1 undeclared reference to 'foo' (in container '')",
    ],
    ['foo(1)', "rejected undeclared-reference 1:1 undeclared reference to 'foo' (in container '')"],
    ['1u == 1', "rejected type 1:1 found no matching overload for '_==_' applied to '(uint, int)'"],
    [
      '1.0 % 2.0',
      "rejected type 1:1 found no matching overload for '_%_' applied to '(double, double)'",
    ],
    [
      '3 + 3.0',
      "rejected type 1:1 found no matching overload for '_+_' applied to '(int, double)'",
    ],
    [
      '"a" + 1',
      "rejected type 1:1 found no matching overload for '_+_' applied to '(string, int)'",
    ],
    [
      '[1] + ["a"]',
      "rejected type 1:1 found no matching overload for '_+_' applied to '(list(int), list(string))'",
    ],
    ['size(1)', "rejected type 1:1 found no matching overload for 'size' applied to '(int)'"],
    [
      '[1,2] == [1.0, 2.0]',
      "rejected type 1:1 found no matching overload for '_==_' applied to '(list(int), list(double))'",
    ],
    ['1 in 1', "rejected type 1:1 found no matching overload for '@in' applied to '(int, int)'"],
    [
      'obj[1]',
      "rejected type 1:1 found no matching overload for '_[_]' applied to '(map(string, dyn), int)'",
    ],
    ['obj.spec.list.all(x, 1)', "rejected type 1:22 expected type 'bool' but found 'int'"],
    [
      '"abc".all(x, true)',
      "rejected type 1:1 expression of type 'string' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      '(1).all(x, true)',
      "rejected type 1:2 expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
    [
      'timestamp(1.0)',
      "rejected type 1:1 found no matching overload for 'timestamp' applied to '(double)'",
    ],
    [
      'duration("1h").getFullYear()',
      "rejected type 1:1 found no matching overload for 'getFullYear' applied to 'duration.()'",
    ],
    [
      'duration("1s") * 2',
      "rejected type 1:1 found no matching overload for '_*_' applied to '(duration, int)'",
    ],
    [
      '-duration("1s")',
      "rejected type 1:1 found no matching overload for '-_' applied to '(duration)'",
    ],
    [
      'google.protobuf.Foo',
      "rejected undeclared-reference 1:1 undeclared reference to 'google' (in container '')",
    ],
    ['dyn', "rejected undeclared-reference 1:1 undeclared reference to 'dyn' (in container '')"],
    [
      'timestamp',
      "rejected undeclared-reference 1:1 undeclared reference to 'timestamp' (in container '')",
    ],
    ['int(true)', "rejected type 1:1 found no matching overload for 'int' applied to '(bool)'"],
    ['bool(1)', "rejected type 1:1 found no matching overload for 'bool' applied to '(int)'"],
    ['bytes(1)', "rejected type 1:1 found no matching overload for 'bytes' applied to '(int)'"],
    [
      '"abc".contains(1)',
      "rejected type 1:1 found no matching overload for 'contains' applied to 'string.(int)'",
    ],
    [
      '"abc".lowerAscii()',
      "rejected undeclared-reference 1:1 undeclared reference to 'lowerAscii' (in container '')",
    ],
    [
      '"abc".upperAscii()',
      "rejected undeclared-reference 1:1 undeclared reference to 'upperAscii' (in container '')",
    ],
    [
      '"a,b".split(",")',
      "rejected undeclared-reference 1:1 undeclared reference to 'split' (in container '')",
    ],
    [
      '["a"].join(",")',
      "rejected undeclared-reference 1:1 undeclared reference to 'join' (in container '')",
    ],
    [
      '"abc".indexOf("b")',
      "rejected undeclared-reference 1:1 undeclared reference to 'indexOf' (in container '')",
    ],
    [
      '"abc".substring(1)',
      "rejected undeclared-reference 1:1 undeclared reference to 'substring' (in container '')",
    ],
    [
      '" a ".trim()',
      "rejected undeclared-reference 1:1 undeclared reference to 'trim' (in container '')",
    ],
    [
      '"abc".replace("a","b")',
      "rejected undeclared-reference 1:1 undeclared reference to 'replace' (in container '')",
    ],
    [
      '"abc".charAt(1)',
      "rejected undeclared-reference 1:1 undeclared reference to 'charAt' (in container '')",
    ],
    [
      'cel.bind(x, 1, x)',
      "rejected undeclared-reference 1:1 undeclared reference to 'cel' (in container '')",
    ],
    [
      'optional.of(1)',
      "rejected undeclared-reference 1:1 undeclared reference to 'optional' (in container '')",
    ],
    [
      'optional.none()',
      "rejected undeclared-reference 1:1 undeclared reference to 'optional' (in container '')",
    ],
    [
      'b"abc".at(0)',
      "rejected undeclared-reference 1:1 undeclared reference to 'at' (in container '')",
    ],
    [
      'b"abc".hex()',
      "rejected undeclared-reference 1:1 undeclared reference to 'hex' (in container '')",
    ],
    [
      'math.greatest(1,2)',
      "rejected undeclared-reference 1:1 undeclared reference to 'math' (in container '')",
    ],
    [
      'quantity("1")',
      "rejected undeclared-reference 1:1 undeclared reference to 'quantity' (in container '')",
    ],
    [
      'url("http://a")',
      "rejected undeclared-reference 1:1 undeclared reference to 'url' (in container '')",
    ],
    [
      'ip("1.2.3.4")',
      "rejected undeclared-reference 1:1 undeclared reference to 'ip' (in container '')",
    ],
    [
      'sets.contains([1],[1])',
      "rejected undeclared-reference 1:1 undeclared reference to 'sets' (in container '')",
    ],
    [
      '[1,2].sum()',
      "rejected undeclared-reference 1:1 undeclared reference to 'sum' (in container '')",
    ],
    [
      'obj.spec.list.all(i, v, v > 0)',
      "rejected undeclared-reference 1:19 undeclared reference to 'i' (in container '')",
    ],
    [
      '[1].existsOne(x, x == 1)',
      "rejected undeclared-reference 1:15 undeclared reference to 'x' (in container '')",
    ],
    [
      'dyn(1) - "a"',
      "rejected type 1:1 found no matching overload for '_-_' applied to '(dyn, string)'",
    ],
    ['__proto__', 'rejected syntax 1:1 Reserved identifier: __proto__'],
    [
      'constructor',
      "rejected undeclared-reference 1:1 undeclared reference to 'constructor' (in container '')",
    ],
    ['a.b.c', "rejected undeclared-reference 1:1 undeclared reference to 'a' (in container '')"],
    [
      '1 ? 2 : 3',
      "rejected type 1:1 found no matching overload for '_?_:_' applied to '(int, int, int)'",
    ],
    ['!-1', "rejected type 1:1 found no matching overload for '!_' applied to '(int)'"],
    [
      'true ? null : 1',
      "rejected type 1:1 found no matching overload for '_?_:_' applied to '(bool, null, int)'",
    ],
    [
      '[1].map(x)',
      "rejected undeclared-reference 1:9 undeclared reference to 'x' (in container '')",
    ],
    [
      '[1].all(x)',
      "rejected undeclared-reference 1:9 undeclared reference to 'x' (in container '')",
    ],
    ['map(1)', "rejected undeclared-reference 1:1 undeclared reference to 'map' (in container '')"],
    [
      'all(x, y)',
      "rejected undeclared-reference 1:5 undeclared reference to 'x' (in container '')",
    ],
    [
      '[1].size(1)',
      "rejected type 1:1 found no matching overload for 'size' applied to 'list(int).(int)'",
    ],
    ['size()', "rejected type 1:1 found no matching overload for 'size' applied to '()'"],
    [
      'size(1, 2)',
      "rejected type 1:1 found no matching overload for 'size' applied to '(int, int)'",
    ],
    [
      '"a".size().size()',
      "rejected type 1:1 found no matching overload for 'size' applied to 'int.()'",
    ],
    [
      'contains("a","b")',
      "rejected type 1:1 found no matching overload for 'contains' applied to '(string, string)'",
    ],
    [
      '"a".string()',
      "rejected type 1:1 found no matching overload for 'string' applied to 'string.()'",
    ],
    ['1.string()', "rejected type 1:1 found no matching overload for 'string' applied to 'int.()'"],
    ['int.foo', "rejected type 1:5 type 'type' does not support field selection"],
    ['[1][0].foo', "rejected type 1:8 type 'int' does not support field selection"],
    ['"a".foo', "rejected type 1:5 type 'string' does not support field selection"],
    ['1.5.foo', "rejected type 1:5 type 'double' does not support field selection"],
    ['true.foo', "rejected type 1:6 type 'bool' does not support field selection"],
    ['null.foo', "rejected type 1:6 type 'null' does not support field selection"],
    [
      'timestamp(0).seconds',
      "rejected type 1:14 type 'timestamp' does not support field selection",
    ],
    [
      'timestamp(0).foo()',
      "rejected undeclared-reference 1:1 undeclared reference to 'foo' (in container '')",
    ],
    ['1u + 1', "rejected type 1:1 found no matching overload for '_+_' applied to '(uint, int)'"],
    ['1u < 2', "rejected type 1:1 found no matching overload for '_<_' applied to '(uint, int)'"],
    [
      '1 +\n foo',
      "rejected undeclared-reference 2:2 undeclared reference to 'foo' (in container '')",
    ],
    [
      'dyn(1).type()',
      "rejected type 1:1 found no matching overload for 'type' applied to 'dyn.()'",
    ],
  ])('%s is %s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});
