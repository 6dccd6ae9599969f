import { describe, expect, it } from 'vitest';
import { Float, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

describe('the size of a JSON value', () => {
  it.each<[string, JsonValue]>([
    ['null', null],
    ['a bool', true],
    ['an integer', -17],
    ['an integer beyond 2^53', 9_007_199_254_740_993n],
    ['a double', 1.5e300],
    ['an integral double', new Float(3)],
    ['no text', ''],
    ['plain text', 'a b!#[]^~'],
    ['quotes and backslashes', 'a"b\\c'],
    ['control characters', 'a\b\t\n\f\r\u0000\u001fb\u007f'],
    ['text of two, three and four bytes', 'é€😀'],
    ['halves of pairs', '\ud83d \ude00 \ud83d'],
    ['an empty list', []],
    ['a list', [1, 'two', [3]]],
    ['an empty map', {}],
    ['a map', { a: 1, b: { 'c"': [null] } }],
  ])('of %s is what is written of it', (_case, value) => {
    expect(jsonBytes(value)).toBe(Buffer.byteLength(stringifyJson(value)));
  });

  it('leaves out a member that is undefined, as writing does', () => {
    expect(jsonBytes(Object.assign<JsonObject, object>({ a: 1 }, { b: undefined }))).toBe(
      '{"a":1}'.length,
    );
    expect(jsonBytes(undefined)).toBe('null'.length);
  });

  it('counts what is referred to twice as often as it is written', () => {
    const shared = ['x'.repeat(100)];
    expect(jsonBytes([shared, shared])).toBe(stringifyJson([shared, shared]).length);
  });

  it.each<[string, JsonValue]>([
    ['a text', 'x'.repeat(1000)],
    ['a text that is longer only as UTF-8', '€'.repeat(50)],
    ['a long list', new Array<number>(200).fill(1)],
    ['a list of some more characters', new Array<string>(20).fill('abcdef')],
    ['a long key', { ['k'.repeat(200)]: 1 }],
    ['a member', { a: 'x'.repeat(95), b: 1 }],
    ['a map that is closed too late', { a: 'x'.repeat(93) }],
    ['an end of a key', { a: 'x'.repeat(88), b: 1 }],
  ])('of %s is beyond a limit that it exceeds, and exact without one', (_case, value) => {
    expect(jsonBytes(value, 98)).toBeGreaterThan(98);
    expect(jsonBytes(value)).toBe(Buffer.byteLength(stringifyJson(value)));
  });

  it('is checked no further than the limit', () => {
    let reads = 0;
    const rest = Object.defineProperty({}, 'far', {
      enumerable: true,
      get() {
        reads += 1;
        return 1;
      },
    });
    expect(jsonBytes(['x'.repeat(1000), rest as JsonValue], 100)).toBeGreaterThan(100);
    expect(reads).toBe(0);
  });

  it('of a value that refers to itself 2^100 times is beyond any limit at once', () => {
    let value: JsonValue = 'x';
    for (let level = 0; level < 100; level += 1) value = [value, value];
    expect(jsonBytes(value, 1_000_000)).toBeGreaterThan(1_000_000);
  });

  it('is beyond any limit if the value is nested deeper than 500 levels', () => {
    expect(jsonBytes(nested(500), 10_000)).toBe(1001);
    expect(jsonBytes(nested(502), 10_000)).toBeGreaterThan(10_000);
    expect(jsonBytes(nested(100_000), 10_000)).toBeGreaterThan(10_000);
  });
});
