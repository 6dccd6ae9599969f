import { describe, expect, it } from 'vitest';
import {
  fieldSelectorText,
  parseFieldSelectorText,
} from '#shared/core/status-api/field-selector-text.ts';
import {
  invalidEscape,
  neverValue,
  noRequirement,
  UNESCAPED_EQUALS,
  unknownSelectorField,
} from '#shared/core/status-api/messages.ts';

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
    ['wec', noRequirement('wec', 'wec')],
    ['stale=true', unknownSelectorField('stale', FIELDS.fields)],
    ['wec=a,health!=degraded', neverValue('health', 'degraded', FIELDS.words.health)],
    ['wec=a\\b', invalidEscape('\\b')],
    ['wec=a\\', invalidEscape('\\')],
    ['wec=a=b', UNESCAPED_EQUALS],
  ])('%s is rejected: %s', (selector, fault) => {
    expect(parseFieldSelectorText(selector, FIELDS)).toEqual({ ok: false, fault });
  });
});
