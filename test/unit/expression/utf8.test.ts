import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '#shared/core/expression/utf8.ts';

/** What the runtime takes for UTF-8. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

describe('UTF-8', () => {
  it.each([
    [[0x80]],
    [[0xc3]],
    [[0xc3, 0x28]],
    [[0xc0, 0x80]],
    [[0xe0, 0x80, 0x80]],
    [[0xed, 0xa0, 0x80]],
    [[0xf0, 0x80, 0x80, 0x80]],
    [[0xf4, 0x90, 0x80, 0x80]],
    [[0xf8, 0x88, 0x80, 0x80, 0x80]],
    [[0xf0, 0x9f, 0x98, 0x80]],
    [[0x68, 0xc3, 0xa9]],
    [[]],
  ])('is read as the runtime reads it: %j', (bytes) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBe(decoded(Uint8Array.from(bytes)));
  });

  it('is read and written as the runtime does', () => {
    const unit = fc.constantFrom(
      'a',
      '\u007f',
      '\u0080',
      '\u07ff',
      '\u0800',
      '\uffff',
      '\u{1f600}',
      '\ud800',
      '\udfff',
    );
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 3_000 }),
        fc.uint8Array({ maxLength: 8 }),
        (text, bytes) => {
          expect(encodeUtf8(text)).toEqual(new TextEncoder().encode(text));
          expect(decodeUtf8(encodeUtf8(text))).toBe(text.toWellFormed());
          expect(decodeUtf8(bytes)).toBe(decoded(bytes));
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  it('is read in chunks', () => {
    const text = 'a\u00e9'.repeat(2_000);
    expect(decodeUtf8(encodeUtf8(text))).toBe(text);
  });
});
