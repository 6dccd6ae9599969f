import { expect, it } from 'vitest';
import { type JsonObject, parseJson } from '#shared/core/json.ts';
import { changedLabels, labelsOf, labelValue } from '#shared/core/labels.ts';

const EVERY_OBJECT_HAS = ['constructor', 'toString', '__proto__'];

it.each(EVERY_OBJECT_HAS)('a label %s is one if it is given, and only there', (key) => {
  // The text is that of an object.
  const labels = labelsOf(parseJson(`{"metadata":{"labels":{"${key}":"x","n":1}}}`) as JsonObject);
  expect(Object.keys(labels)).toEqual([key]);
  expect(labelValue(labels, key)).toBe('x');
  expect(labelValue({}, key)).toBeUndefined();
  expect(changedLabels({}, labels)).toEqual(new Set([key]));
  expect(changedLabels(labels, {})).toEqual(new Set([key]));
  expect(changedLabels(labels, labels)).toEqual(new Set());
});

it('an object without labels has none', () => {
  expect(labelsOf({ metadata: { labels: 'app' } })).toEqual({});
});
