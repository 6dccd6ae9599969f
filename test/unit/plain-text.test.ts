import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '#shared/core/plain-text.ts';
import { anyCharacter } from '#test/any-character.ts';

describe('a text is shown', () => {
  it('without control characters, each run of them as one space', () => {
    expect(plainText('a\u001B[2J\r\nb\u009Bc\u007F')).toBe('a [2J b c ');
    expect(plainText('größer — 日本')).toBe('größer — 日本');
  });

  it.each([
    ['marks and overrides of the direction', '\u200E\u200F\u061C\u202A\u202B\u202C\u202D\u202E'],
    ['isolates', '\u2066\u2067\u2068\u2069'],
    ['characters without width', '\u200B\u200C\u200D\u2060\uFEFF\u00AD'],
    [
      'blank letters and joiners that are marks',
      '\u034F\u115F\u1160\u17B4\u2800\u3164\uFE0F\uFFA0',
    ],
    ['tags beyond the first plane', '\u{E0001}\u{E0041}\u{E007F}'],
  ])('without %s', (_what, characters) => {
    for (const one of characters) expect(plainText(`a${one}b${one}`)).toBe('ab');
    expect(plainText(`a${characters}b`)).toBe('ab');
  });

  it.each(['\u001B', '\u009B', '\n', '\u2028', '\u2029'])('on one line: %j', (one) => {
    expect(plainText(`a${one}${one}b`)).toBe('a b');
  });

  it('with the halves of surrogate pairs, which are no pair afterwards', () => {
    expect(plainText('a\uD83Db\uDE00')).toBe('a\uFFFDb\uFFFD');
    expect(plainText('\uD83D\u200D\uDE00 \u{1F600}')).toBe('\uFFFD\uFFFD \u{1F600}');
  });

  it('without the joiners of an emoji, with its other parts', () => {
    expect(plainText('👩‍💻 é ❤️')).toBe('👩💻 é ❤');
  });

  it('the same, if it is plain', () => {
    const unit = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 1 }),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('\u202E', '\uD83D', '\uDE00', '\n', '\u200B'),
    );
    fc.assert(
      fc.property(fc.array(unit), (units) => {
        const shown = plainText(units.join(''));
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(plainText(shown)).toBe(shown);
      }),
    );
  });
});
