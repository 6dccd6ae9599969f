import { describe, expect, it } from 'vitest';
import { ABNORMAL_TYPES, ABNORMAL_WHEN_TRUE } from '#shared/core/status/condition-polarity.ts';

describe('the types of condition that are bad when they are True', () => {
  it('are named once each, with the API and its answer', () => {
    expect(ABNORMAL_TYPES.size).toBe(ABNORMAL_WHEN_TRUE.length);
    for (const { type, api, whenTrue } of ABNORMAL_WHEN_TRUE) {
      expect(type).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(api).not.toBe('');
      expect(whenTrue).not.toBe('');
    }
  });

  it.each(['Ready', 'Available', 'Progressing', 'Complete', 'Suspended', 'Established'])(
    'do not include %s',
    (type) => {
      expect(ABNORMAL_TYPES.has(type)).toBe(false);
    },
  );
});
