import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inAllowedCharacters } from '#shared/adapters/sqs/message-text.ts';
import { MessageRefusedError } from '#shared/errors.ts';
import { anyCharacter } from '#test/any-character.ts';

it.each([
  ['plain text', 'plain text\twith\r\nlines'],
  ['all of Unicode that SQS takes', '\uD7FF\uE000\uFFFD\u{10000}\u{1F680}\u{10FFFF}\u007F\u0085'],
  ['JSON with escapes', '{"a":"\\u0000\\ufffe"}'],
])('leaves %s as it is', (_what, body) => {
  const message = { body, group: 'a' };
  expect(inAllowedCharacters(message)).toBe(message);
});

it.each([
  ['U+FFFE', '["\uFFFE"]', '["\\ufffe"]'],
  ['U+FFFF in a key', '{"\uFFFF":1}', '{"\\uffff":1}'],
  ['a lone surrogate', '"\uDC00"', '"\\udc00"'],
  ['U+FFFE after an escaped backslash', '"\\\\\uFFFE"', '"\\\\\\ufffe"'],
])('escapes %s in JSON', (_what, body, expected) => {
  expect(inAllowedCharacters({ body })).toEqual({ body: expected });
});

it.each([
  ['a control character', 'a\u0000', 'U\\+0000'],
  ['U+FFFE in a text that is no JSON', 'a\uFFFE', 'U\\+fffe'],
  ['U+FFFE between values', '[1,\uFFFE2]', 'U\\+fffe'],
  ['a lone surrogate', '\uD800', 'U\\+d800'],
])('rejects %s', (_what, body, named) => {
  expect(() => inAllowedCharacters({ body, group: 'a' })).toThrow(MessageRefusedError);
  expect(() => inAllowedCharacters({ body, group: 'a' })).toThrow(new RegExp(named));
});

it('makes any JSON value one that SQS takes, and the same', () => {
  const character = fc.oneof(
    fc.constantFrom('\uFFFE', '\uFFFF', '\uD800', '\uDFFF', '\\', '"', '\u0000', 'a'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  );
  const value = fc.array(fc.string({ unit: character, maxLength: 20 }), { maxLength: 5 });
  fc.assert(
    fc.property(value, (json) => {
      const { body } = inAllowedCharacters({ body: JSON.stringify(json) });
      expect(JSON.parse(body)).toEqual(json);
      // The characters of XML 1.0, written the other way round.
      expect(body).not.toMatch(/[\uFFFE\uFFFF]|\p{Surrogate}/u);
    }),
  );
});
