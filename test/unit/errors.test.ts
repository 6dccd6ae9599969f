import { expect, it } from 'vitest';
import { ApiUnavailableError, messageOf } from '#shared/errors.ts';

it.each([
  [new ApiUnavailableError('list pods/v1', 'down'), 'API server unavailable: list pods/v1: down'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('a thrown value is reported with its own text: %s', (thrown, text) => {
  expect(messageOf(thrown)).toBe(text);
});
