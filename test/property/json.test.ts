import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalJson, Float, type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { anyCharacter } from '#test/any-character.ts';

/** Texts of JSON numbers, many of them at the edges of what JSON.parse would keep. */
const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '3.0', '1e3', '1E+3', '-0.0', '1e17', '1e-7', '2e400', '-1e21'),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map((value) => `${value}.0`),
  fc.tuple(fc.integer(), fc.integer({ min: -30, max: 30 })).map(([a, b]) => `${a}e${b}`),
);

const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'a', 'b', '', '1', 'é', '\u{1f600}'),
  fc.string({ unit: anyCharacter }),
);

const stringText = fc
  .oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('-0', '1e3', '12345678901234567890'))
  .map((value) => JSON.stringify(value));

/** JSON texts, with spaces, duplicate keys and nesting. */
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    numberText,
    stringText,
    fc.constantFrom('true', 'false', 'null'),
    fc.array(tie('text'), { maxLength: 4 }).map((items) => `[ ${items.join(' ,')}]`),
    fc
      .array(fc.tuple(key, tie('text')), { maxLength: 4 })
      .map((entries) => `{${entries.map(([k, v]) => `${JSON.stringify(k)}: ${v}`).join(',')}}`),
  ),
}));

/** The same value, with the keys of every object in another order. */
function shuffled(value: JsonValue): JsonValue {
  // What parseJson made of plain text has no class but Float, which stays as it is.
  if (
    typeof value !== 'object' ||
    value === null ||
    Object.getPrototypeOf(value) !== Object.prototype
  )
    return Array.isArray(value) ? value.map(shuffled) : value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([k, v]) => [k, shuffled(v)]),
  );
}

/** Decimals at and near integers, of any length. */
const nearInteger = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 2n ** 40n }),
    fc.constantFrom('0', '9', '4', '5'),
    fc.nat({ max: 20 }),
    fc.constantFrom('0', '1', '5', '9', '123456', '999999', '000001'),
    fc.constantFrom('', '', '', 'e0', 'E-3', 'e+7'),
  )
  .map(([sign, whole, digit, times, last, exponent]) =>
    [sign, whole, '.', digit.repeat(times), last, exponent].join(''),
  );

/** What a number is read as, by its digits. */
function readAs(literal: string): JsonValue {
  const value = Number(literal);
  if (/^-?\d+$/.test(literal)) {
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    const exact = BigInt(literal);
    return BigInt.asIntN(64, exact) === exact ? exact : value;
  }
  return Number.isSafeInteger(value) ? new Float(value) : value;
}

describe('parseJson and stringifyJson', () => {
  it('read each number by its digits, whatever stands beside it', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(nearInteger, numberText), { minLength: 1 }), (literals) => {
        const expected = literals.map(readAs);
        expect(isDeepStrictEqual(parseJson(`[${literals.join(', ')}]`), expected)).toBe(true);
        const [one = '0'] = literals;
        expect(isDeepStrictEqual(parseJson(`{"a":${one}}`), { a: readAs(one) })).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('write what was read so that it is read as the same, from any JSON text', () => {
    fc.assert(
      fc.property(text, (one) => {
        const value = parseJson(one);
        const written = stringifyJson(value);
        if (!hasInfinite(value))
          expect(isDeepStrictEqual(parseJson(written), shuffled(value))).toBe(true);
        expect(stringifyJson(parseJson(written))).toBe(written);
      }),
      { numRuns: 2000 },
    );
  });

  it('agree with JSON.parse on everything but the spelling of numbers', () => {
    fc.assert(
      fc.property(text, (one) => {
        const expected = JSON.stringify(JSON.parse(one), sortKeys).replaceAll('-0', '0');
        const written = JSON.parse(stringifyJson(parseJson(one)));
        expect(JSON.stringify(written, sortKeys).replaceAll('-0', '0')).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('give equal bytes for equal values, whatever the order of the keys', () => {
    fc.assert(
      fc.property(text, (one) => {
        const value = parseJson(one);
        const other = shuffled(value);
        expect(stringifyJson(other)).toBe(stringifyJson(value));
        expect(equalJson(other, value)).toBe(true);
      }),
    );
  });
});

/**
 * Whether a double beyond 2^53 without a fraction is in a value: it is written like an integer (and null where it is
 * infinite), so it comes back as one. The bytes stay the same all the same.
 */
function hasInfinite(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(hasInfinite);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
