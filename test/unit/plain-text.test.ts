import { expect, it } from 'vitest';
import { plainText } from '#shared/core/plain-text.ts';

it('a text is shown without control characters, each run of them as one space', () => {
  expect(plainText('a\u001B[2J\r\nb\u009Bc\u007F')).toBe('a [2J b c ');
  expect(plainText('größer — 日本')).toBe('größer — 日本');
});
