import { expect, it } from 'vitest';
import { misspeltField, noObjectWith } from '#shared/core/field-messages.ts';
import { readMembers, readSpec, unknownMembers } from '#shared/core/known-members.ts';

const KNOWN = new Set(['limit', 'filter']);

it.each([
  ['spec', 'limits', 'spec.limits: unknown field; did you mean limit?'],
  ['', 'size', 'size: unknown field; use limit, filter'],
  ['spec', 'x'.repeat(99), `spec.${'x'.repeat(60)}…: unknown field; use limit, filter`],
])('of an object at "%s" reports the member %s and the remedy', (path, name, text) => {
  expect(unknownMembers({ limit: 1, [name]: 2 }, path, KNOWN)).toEqual([text]);
});

it.each([undefined, null])('takes %s for an object without members', (value) => {
  const errors: string[] = [];
  expect(readMembers(value, { path: 'spec', members: KNOWN }, errors)).toEqual({});
  expect(errors).toEqual([]);
});

it('reports a spec that is not an object, and unknown members beside it', () => {
  const errors: string[] = [];
  expect(readSpec({ kind: 'Binding', metadata: {}, Spec: 1, spec: [] }, KNOWN, errors)).toEqual({});
  expect(errors).toEqual([
    `Spec: ${misspeltField('spec')}`,
    `spec: ${noObjectWith('limit, filter')}`,
  ]);
});
