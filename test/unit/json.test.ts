import { describe, expect, it } from 'vitest';
import {
  at,
  equalJson,
  Float,
  isArray,
  isNumber,
  isObject,
  type JsonValue,
  member,
  parseJson,
  stringifyJson,
} from '#shared/core/json.ts';

describe('parseJson', () => {
  it.each<[string, JsonValue]>([
    ['3', 3],
    ['-0', 0],
    ['{"a":-0,"b":[-0]}', { a: 0, b: [0] }],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['-9223372036854775809', -(2 ** 63)],
    ['3.0', new Float(3)],
    ['1e3', new Float(1000)],
    ['1E3', new Float(1000)],
    ['-0.0', new Float(-0)],
    ['0.5', 0.5],
    ['1e17', 1e17],
    ['"-0 1e3 1234567890123456"', '-0 1e3 1234567890123456'],
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":[1.0],"a":9007199254740993}', { a: 9007199254740993n }],
    ['[true,false,null,1.5]', [true, false, null, 1.5]],
    ['999999999999999.99', new Float(1e15)],
    ['0.99999999999999999999', new Float(1)],
    [`1${'0'.repeat(400)}`, Number.POSITIVE_INFINITY],
    [
      '["a\\\\",1.0,"\\"1.0,",{"2.0":3.0}]',
      ['a\\', new Float(1), '"1.0,', { '2.0': new Float(3) }],
    ],
    ['["\\u00010;5.0",1.0]', ['\u00010;5.0', new Float(1)]],
    ['["\\u0001\\u0030\\u003b5.0",1.0]', ['\u00010;5.0', new Float(1)]],
    [
      '["\\u0001\\u0031\\u0030\\u003B5.0","\\u00010;",1.0]',
      ['\u000110;5.0', '\u00010;', new Float(1)],
    ],
    ['["\\u00010;","\\u00011;2.0",1.0]', ['\u00010;', '\u00011;2.0', new Float(1)]],
  ])('reads %s without loss', (text, value) => {
    expect(parseJson(text)).toStrictEqual(value);
  });

  it('keeps a member named __proto__ as a member', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1.0}}']) {
      const value = parseJson(text);
      expect(member(value, '__proto__')).toBeDefined();
      expect(stringifyJson(value)).toBe(text);
    }
  });

  it('throws SyntaxError for what is not JSON', () => {
    expect(() => parseJson('{')).toThrow(SyntaxError);
    for (const text of [
      '[1.0',
      '[01.0]',
      '[1.0.0]',
      '{1.0:2}',
      '[1.0,"a',
      '[1.0,"a\\"]',
      '[-1.e5]',
      '[1.0"a"]',
    ])
      expect(() => parseJson(text), text).toThrow(SyntaxError);
  });
});

describe('stringifyJson', () => {
  it.each<[JsonValue | undefined, string]>([
    [undefined, 'null'],
    [null, 'null'],
    [true, 'true'],
    ['"é\n', '"\\"é\\n"'],
    [3, '3'],
    [-0, '-0.0'],
    [1.5, '1.5'],
    [1e17, '100000000000000000.0'],
    [1e21, '1e+21'],
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [9007199254740993n, '9007199254740993'],
    [new Float(3), '3.0'],
    [new Float(-0), '-0.0'],
    [new Float(1e21), '1e+21'],
    [[1, [2]], '[1,[2]]'],
    [{ b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    [
      { a: [1, { d: 2, c: 3 }, { f: 4, e: 5 }], b: { h: 6, g: 7 } },
      '{"a":[1,{"c":3,"d":2},{"e":5,"f":4}],"b":{"g":7,"h":6}}',
    ],
    [{ b: [new Float(1)], a: 2 }, '{"a":2,"b":[1.0]}'],
    [{ b: { d: 1n, c: 2 }, a: 3 }, '{"a":3,"b":{"c":2,"d":1}}'],
    [{ b: 1, a: 2, 9: 3, 10: 4 }, '{"10":4,"9":3,"a":2,"b":1}'],
    [{ 1: { b: 5, a: 6 } }, '{"1":{"a":6,"b":5}}'],
    [{ b: 1, ['__proto__']: { d: 2, c: 3 } }, '{"__proto__":{"c":3,"d":2},"b":1}'],
    [{ '\u{10000}': 1, '\uffff': 2 }, '{"\u{10000}":1,"\uffff":2}'],
  ])('writes %o as %s', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it('leaves out members that are undefined', () => {
    // The type forbids what a spread of optional members can give.
    const value = { a: undefined, b: 1 } as unknown as JsonValue;
    expect(stringifyJson(value)).toBe('{"b":1}');
    const unsorted = { d: undefined, c: [undefined], b: new Float(1) } as unknown as JsonValue;
    expect(stringifyJson(unsorted)).toBe('{"b":1.0,"c":[null]}');
  });
});

describe('what a value is', () => {
  it.each<[JsonValue | undefined, 'list' | 'object' | 'number' | 'none']>([
    [[], 'list'],
    [{}, 'object'],
    [1, 'number'],
    [1n, 'number'],
    [new Float(1), 'number'],
    [null, 'none'],
    ['text', 'none'],
    [true, 'none'],
    [undefined, 'none'],
  ])('%o is: %s', (value, what) => {
    expect([isArray(value), isObject(value), isNumber(value)]).toEqual([
      what === 'list',
      what === 'object',
      what === 'number',
    ]);
  });
});

describe('member and at', () => {
  const value: JsonValue = { a: { b: [1] } };

  it('gives own members alone', () => {
    expect(member(value, 'a')).toEqual({ b: [1] });
    expect(member(value, 'toString')).toBeUndefined();
    expect(member([1], '0')).toBeUndefined();
    expect(member(undefined, 'a')).toBeUndefined();
  });

  it('follows a path to its end, or gives undefined', () => {
    expect(at(value, 'a', 'b')).toEqual([1]);
    expect(at(value)).toBe(value);
    expect(at(value, 'a', 'x', 'y')).toBeUndefined();
    expect(at(value, 'a', 'b', '0')).toBeUndefined();
  });
});

describe('equalJson', () => {
  it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
    [undefined, undefined, true],
    [undefined, null, false],
    [null, undefined, false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [[1, 2], [2, 1], false],
    [3, new Float(3), false],
    [new Float(3), new Float(3), true],
    [0, new Float(-0), false],
  ])('%o and %o: %s', (a, b, equal) => {
    expect(equalJson(a, b)).toBe(equal);
  });
});

it.each(['{1.0:2}', '{1e3 : 2}', '{"a":1,1.50:2}'])(
  'a number whose text matters is not a key of an object: %s',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);
