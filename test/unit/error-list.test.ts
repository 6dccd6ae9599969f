import { expect, it } from 'vitest';
import { boundedErrors } from '#shared/core/error-list.ts';

const texts = (count: number) => Array.from({ length: count }, (_none, index) => `error ${index}`);

it('lists a hundred errors, then the number of the others', () => {
  expect(boundedErrors(texts(100))).toEqual(texts(100));
  expect(boundedErrors(texts(103))).toEqual([...texts(100), 'and 3 more errors']);
});

it('cuts a text after a thousand characters, never within one', () => {
  const [whole, cut, emoji] = boundedErrors([
    'a'.repeat(1000),
    'b'.repeat(1001),
    `${'c'.repeat(999)}😀`,
  ]);
  expect(whole).toBe('a'.repeat(1000));
  expect(cut).toBe(`${'b'.repeat(1000)}…`);
  expect(emoji).toBe(`${'c'.repeat(999)}…`);
});
