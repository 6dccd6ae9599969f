import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ageText, countText, secondsSince } from '#console/model/age.ts';
import { inPlace } from '#console/model/in-place.ts';
import { plainShown, shownText } from '#console/model/shown-text.ts';
import { statusLines } from '#console/model/yaml-lines.ts';
import { anyCharacter } from '#test/any-character.ts';

const TAKES_EFFECT = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe('a text from outside', () => {
  it('is shown as it is', () => {
    expect(shownText('<script>alert(1)</script>')).toEqual({
      pieces: [{ text: '<script>alert(1)</script>' }],
      left: 0,
    });
  });

  it('shows characters that turn the direction of text round, and does not obey them', () => {
    expect(shownText('a\u202egnp.exe').pieces).toEqual([
      { text: 'a' },
      { code: 'U+202E' },
      { text: 'gnp.exe' },
    ]);
    expect(plainShown('a\u0000\u200b\n')).toBe('a⟨U+0000⟩⟨U+200B⟩⟨U+000A⟩');
  });

  it('is cut if it is long, and says by how much', () => {
    const { pieces, left } = shownText('x'.repeat(10_000));
    expect(pieces).toEqual([{ text: 'x'.repeat(2_000) }]);
    expect(left).toBe(8_000);
  });

  it('never has a character that takes effect', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(TAKES_EFFECT.test(plainShown(text))).toBe(false);
      }),
    );
  });
});

describe('a time', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [60, '1 min'],
    [3_599, '59 min'],
    [7_200, '2 h'],
    [86_400 * 3, '3 d'],
  ])('of %i seconds is %s', (seconds, text) => {
    expect(ageText(seconds)).toBe(text);
  });

  it('is unknown if it is none, and never in the future', () => {
    expect(secondsSince(undefined, 0)).toBeUndefined();
    expect(secondsSince('yesterday', 0)).toBeUndefined();
    expect(secondsSince('2026-11-22T17:00:00Z', 0)).toBe(0);
  });
});

it('a number has a thin space between groups of digits', () => {
  expect([7, 1_234, 1_234_567].map(countText)).toEqual(['7', '1\u2009234', '1\u2009234\u2009567']);
});

describe('rows under the pointer', () => {
  const keyOf = (row: string): string => row;

  it('keep their places, and new ones come after them', () => {
    expect(inPlace(['c', 'b', 'a'], ['a', 'b'], keyOf)).toEqual(['a', 'b', 'c']);
  });

  it('go if they are gone', () => {
    expect(inPlace(['b'], ['a', 'b'], keyOf)).toEqual(['b']);
  });
});

describe('the lines of a status', () => {
  const status = {
    availableReplicas: 4,
    conditions: [
      { type: 'Available', status: 'False', message: 'no: "x"\n\u202e' },
      { type: 'Progressing', status: 'True' },
    ],
    nested: { list: [1, [2, 3], {}], 'a key': '' },
  };

  it('are YAML of the same value', () => {
    const text = statusLines(status)
      .map((line) => line.text)
      .join('\n');
    expect(parse(text)).toEqual(status);
  });

  it('know their field', () => {
    const fields = new Set(statusLines(status).map(({ field }) => field));
    expect([...fields]).toEqual([
      'availableReplicas',
      'conditions',
      'conditions[Available]',
      'conditions[Progressing]',
      'nested',
    ]);
  });

  it('are YAML of any value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
        fc.pre(Object.keys(value).length > 0 && !Object.hasOwn(value, '__proto__'));
        const given = JSON.parse(JSON.stringify(value));
        const text = statusLines(given)
          .map((line) => line.text)
          .join('\n');
        expect(JSON.stringify(parse(text))).toBe(JSON.stringify(given));
      }),
    );
  });
});
