import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VERDICTS, WORST_FIRST } from '#shared/core/explanation/shown-verdict.ts';
import { MAX_TICKS, tickHeight, tickParts, tickRanges } from '#shared/core/explanation/spectrum.ts';

describe('the height of a tick', () => {
  it('is higher, the worse the family is', () => {
    const heights = WORST_FIRST.filter((verdict) => verdict !== 'Silent').map(tickHeight);
    expect(heights).toEqual(heights.toSorted((a, b) => b - a));
    expect(heights[0]).toBe(1);
  });

  it('is low for a silent WEC, and lowest where the object is not sent', () => {
    expect(tickHeight('Silent')).toBeLessThan(tickHeight('Missing'));
    expect(tickHeight(undefined)).toBeLessThan(tickHeight('Healthy'));
  });
});

describe('a tick that several WECs share', () => {
  it('has all verdicts, worst first, and what is bad does not drown', () => {
    const parts = tickParts([
      ...Array.from({ length: 50 }, () => 'Healthy' as const),
      'Progressing',
      'Degraded',
      undefined,
    ]);
    expect(parts.map(({ verdict }) => verdict)).toEqual(['Degraded', 'Progressing', 'Healthy']);
    expect(parts.map(({ width }) => width.toFixed(2))).toEqual(['0.50', '0.28', '0.22']);
  });

  it('shows where an object is not sent last', () => {
    expect(tickParts([undefined, 'Healthy'])).toEqual([
      { verdict: 'Healthy', width: 0.5 },
      { verdict: undefined, width: 0.5 },
    ]);
  });

  it('is filled, and by no more than its width', () => {
    const placed = fc.array(fc.constantFrom(undefined, ...WORST_FIRST), { minLength: 1 });
    fc.assert(
      fc.property(placed, (some) => {
        const parts = tickParts(some);
        expect(parts.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(1);
        const isBad = (verdict: (typeof some)[number]) =>
          verdict !== undefined && VERDICTS[verdict].family === 'bad';
        expect(some.some(isBad)).toBe(parts.some(({ verdict }) => isBad(verdict)));
      }),
    );
  });
});

describe('the places of WECs', () => {
  it('are in one tick each, in their order, in at most so many ticks', () => {
    fc.assert(
      fc.property(fc.nat({ max: 3_000 }), (count) => {
        const ranges = tickRanges(count);
        expect(ranges.length).toBe(Math.min(count, MAX_TICKS));
        let next = 0;
        for (const [from, to] of ranges) {
          expect(from).toBe(next);
          expect(to).toBeGreaterThan(from);
          next = to;
        }
        expect(next).toBe(count);
      }),
    );
  });
});
