import { expect, it } from 'vitest';
import { departureText } from '#shared/core/status/messages.ts';

it.each([
  ['minimum', 3, 'the literal minimum is 3'],
  ['minimum', undefined, 'the literal minimum is 0'],
  ['condition', { status: 'True', reason: 'Fine' }, 'the literal condition is True, reason Fine'],
  ['condition', { status: 'True' }, 'the literal condition is True'],
  ['condition', undefined, 'the literal status has no such field'],
  ['other', 'Running', 'the literal value is "Running"'],
  ['desired', { a: 1 }, 'the wanted value is {"a":1}'],
  ['desired', undefined, 'the wanted status has no such field'],
  ['other', 'x'.repeat(200), `the literal value is "${'x'.repeat(99)}...`],
] as const)('a departure of a %s from %j: %s', (kind, value, text) => {
  expect(departureText(kind, value)).toBe(text);
});
