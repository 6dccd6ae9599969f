import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import { parseFieldSelectorText } from '#shared/core/status-api/field-selector-text.ts';
import { selects } from '#shared/core/status-api/selector.ts';

const KEYS = ['app', 'tier', 'starfold.dev/wec'] as const;
const VALUES = ['a', 'b', '7', '12', ''] as const;
const key = fc.constantFrom(...KEYS);
const value = fc.constantFrom(...VALUES);
const labels = fc.dictionary(key, value, { maxKeys: 3 });

type Has = (labels: Readonly<Record<string, string>>) => boolean;

/** A requirement as users write it, beside what the documentation of Kubernetes says it selects. */
const term: fc.Arbitrary<readonly [string, Has]> = fc.oneof(
  fc
    .tuple(key, fc.constantFrom('=', '==', ' = '), value)
    .map(([k, sign, v]): [string, Has] => [`${k}${sign}${v}`, (has) => has[k] === v]),
  fc.tuple(key, value).map(([k, v]): [string, Has] => [`${k}!=${v}`, (has) => has[k] !== v]),
  fc
    .tuple(key, fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([k, vs]): [string, Has] => [
      `${k} in (${vs.join(', ')})`,
      (has) => vs.some((v) => has[k] === v),
    ]),
  fc
    .tuple(key, fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([k, vs]): [string, Has] => [
      `${k} notin (${vs.join(',')})`,
      (has) => vs.every((v) => has[k] !== v),
    ]),
  key.map((k): [string, Has] => [k, (has) => k in has]),
  key.map((k): [string, Has] => [`!${k}`, (has) => !(k in has)]),
  fc
    .tuple(key, fc.constantFrom(6, 7, 11))
    .map(([k, n]): [string, Has] => [
      `${k}>${n}`,
      (has) => /^\d+$/.test(has[k] ?? '') && Number(has[k]) > n,
    ]),
  fc
    .tuple(key, fc.constantFrom(6, 7, 11, 13))
    .map(([k, n]): [string, Has] => [
      `${k}<${n}`,
      (has) => /^\d+$/.test(has[k] ?? '') && Number(has[k]) < n,
    ]),
);

const FIELDS = ['metadata.name', 'wec'] as const;
const text = fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!', ' ', '.'), maxLength: 4 });

/** A value as a user writes it. */
function escaped(plain: string): string {
  return plain.replace(/[\\,=]/g, (character) => `\\${character}`);
}

describe('selectors', () => {
  it('select by labels what Kubernetes documents', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 3 }), labels, (terms, has) => {
        const reading = parseSelectorText(terms.map(([written]) => written).join(','));
        if (!reading.ok) throw new Error(reading.fault);
        const expected = terms.every(([, test]) => test(has));
        expect(
          selects({ labels: reading.requirements, fields: [] }, { labels: has, fields: {} }),
        ).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('select by fields exactly, whatever their values', () => {
    const requirement = fc.tuple(
      fc.constantFrom(...FIELDS),
      fc.constantFrom('=', '==', '!='),
      text,
    );
    const fields = fc.record({ 'metadata.name': text, wec: text });
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 3 }), fields, (terms, has) => {
        const written = terms
          .map(([field, sign, wanted]) => `${field}${sign}${escaped(wanted)}`)
          .join(',');
        const reading = parseFieldSelectorText(written, { fields: FIELDS, words: {} });
        if (!reading.ok) throw new Error(reading.fault);
        const expected = terms.every(
          ([field, sign, wanted]) => (has[field] === wanted) === (sign !== '!='),
        );
        expect(
          selects({ labels: [], fields: reading.requirements }, { labels: {}, fields: has }),
        ).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
