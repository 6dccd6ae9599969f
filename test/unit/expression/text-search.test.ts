import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { containsText } from '#shared/core/expression/text-search.ts';

describe('the search for a text', () => {
  it.each([
    ['a text longer than the other', 'a'.repeat(70), 'a'.repeat(71)],
    ['a text at the end', `${'ab'.repeat(100)}${'ab'.repeat(40)}c`, `${'ab'.repeat(40)}c`],
    ['a text that almost stands there', 'a'.repeat(300), `${'a'.repeat(50)}b${'a'.repeat(50)}`],
    ['the text itself', 'ab'.repeat(40), 'ab'.repeat(40)],
  ])('finds %s as the engine does', (_what, text, part) => {
    expect(containsText(text, part)).toBe(text.includes(part));
  });

  it('finds what the engine finds', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 65, maxLength: 75 });
    fc.assert(
      fc.property(words, words, fc.nat(10), (a, b, cut) => {
        const part = (a + b).slice(cut, cut + 66);
        expect(containsText(a + b, part)).toBe((a + b).includes(part));
        expect(containsText(b + a, part)).toBe((b + a).includes(part));
      }),
      { seed: 1 },
    );
  });
});
