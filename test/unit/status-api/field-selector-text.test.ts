import { describe, expect, it } from 'vitest';
import {
  fieldSelectorText,
  parseFieldSelectorText,
} from '#shared/core/status-api/field-selector-text.ts';

const FIELDS = {
  fields: ['metadata.name', 'wec', 'health'],
  words: { health: ['Healthy', 'Degraded'] },
};

describe('a field selector', () => {
  it('has requirements that are joined by commas', () => {
    expect(parseFieldSelectorText('wec=east,health!=Healthy,metadata.name==a', FIELDS)).toEqual({
      ok: true,
      requirements: [
        { field: 'wec', operator: '=', value: 'east' },
        { field: 'health', operator: '!=', value: 'Healthy' },
        { field: 'metadata.name', operator: '=', value: 'a' },
      ],
    });
  });

  it('is written so that each value is read again', () => {
    const fields = { wec: 'a=b,c\\d', health: '', 'metadata.name': 'clusterroles:x,wec=y' };
    expect(fieldSelectorText(fields)).toBe(
      'wec=a\\=b\\,c\\\\d,health=,metadata.name=clusterroles:x\\,wec\\=y',
    );
    expect(parseFieldSelectorText(fieldSelectorText(fields), FIELDS)).toEqual({
      ok: true,
      requirements: Object.entries(fields).map(([field, value]) => ({
        ...{ field, operator: '=', value },
      })),
    });
  });

  it('may be empty, and have empty terms and values', () => {
    expect(parseFieldSelectorText('', FIELDS)).toEqual({ ok: true, requirements: [] });
    expect(parseFieldSelectorText(',health=,', FIELDS)).toEqual({
      ok: true,
      requirements: [{ field: 'health', operator: '=', value: '' }],
    });
  });

  it.each([
    ['wec', "invalid selector: 'wec'; can't understand 'wec'"],
    ['stale=true', 'field label not supported: stale: the fields are metadata.name, wec, health'],
    [
      'wec=a,health!=degraded',
      'invalid field selector: health is never "degraded": give Healthy, Degraded, or nothing after the sign',
    ],
    ['wec=a\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['wec=a\\', 'invalid field selector: invalid escape sequence: \\'],
    ['wec=a=b', 'invalid field selector: unescaped character in value: ='],
  ])('%s is rejected: %s', (selector, fault) => {
    expect(parseFieldSelectorText(selector, FIELDS)).toEqual({ ok: false, fault });
  });
});
