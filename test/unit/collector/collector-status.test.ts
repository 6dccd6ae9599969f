import { describe, expect, it } from 'vitest';
import { collectorStatus } from '#shared/core/collector/collector-status.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';

describe('the status of a StatusCollector', () => {
  it('names the generation that was checked, and no errors if there are none', () => {
    const spec = { select: [{ name: 'wec', def: 'inventory.name' }], limit: 5 };
    expect(collectorStatus(3, compileStatusCollector(spec))).toEqual({
      observedGeneration: 3,
      errors: [],
    });
  });

  it('reports the error as text', () => {
    const spec = { select: [{ name: 'wec', def: '1 +' }], limit: 5 };
    const { observedGeneration, errors } = collectorStatus(4, compileStatusCollector(spec));
    expect(observedGeneration).toBe(4);
    expect(errors).toEqual([expect.stringContaining('select[0]')]);
  });

  it('is of generation 0 for an object without one, and judges one without a spec', () => {
    const { observedGeneration, errors } = collectorStatus(undefined, compileStatusCollector({}));
    expect(observedGeneration).toBe(0);
    expect(errors).not.toEqual([]);
  });
});
