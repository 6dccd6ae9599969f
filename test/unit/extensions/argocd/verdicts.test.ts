import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEIGHTS, MAX_TICKS, spectrumOf } from '#extensions/argocd/spectrum.ts';
import {
  countVerdicts,
  familyOf,
  rankOf,
  SHOWN_VERDICTS,
  verdictOf,
  worstFirst,
} from '#extensions/argocd/verdicts.ts';
import type { WecRow } from '#extensions/argocd/wec-rows.ts';

const STATES = ['Silent', 'TooLarge', 'Missing', 'NotReported', 'Reported'];
const HEALTHS = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'];

const row = fc.record(
  {
    wec: fc.stringMatching(/^[a-z0-9]{1,6}$/),
    state: fc.constantFrom(...STATES),
    health: fc.constantFrom(...HEALTHS),
  },
  { requiredKeys: ['wec', 'state'] },
);
const rows = (maxLength: number) =>
  fc.uniqueArray(row, { selector: ({ wec }) => wec, maxLength, size: 'max' });

describe('what is shown of a WEC', () => {
  it.each([
    ['Silent', 'Healthy', 'Silent'],
    ['Silent', 'Progressing', 'Silent'],
    ['Silent', 'Degraded', 'Degraded'],
    ['Silent', undefined, 'Silent'],
    ['TooLarge', 'Missing', 'Too large'],
    ['Missing', 'Missing', 'Missing'],
    ['NotReported', 'Missing', 'Not reported'],
    ['Reported', 'Suspended', 'Suspended'],
    ['Reported', undefined, 'Reported'],
    ['Reported', 'Wonderful', 'Unknown'],
  ])('in the state %s with the health %s is %s', (state, health, verdict) => {
    expect(verdictOf({ state, ...(health === undefined ? {} : { health }) })).toBe(verdict);
  });

  it('has the height of its family: bad things are high, fine ones low', () => {
    const heights = SHOWN_VERDICTS.map((verdict) => HEIGHTS[familyOf(verdict)]);
    expect(heights.at(-1)).toBe(Math.min(...heights));
    expect(HEIGHTS[familyOf('Degraded')]).toBe(Math.max(...heights));
  });
});

describe('the order of WECs', () => {
  it('is worst first, then by name, whatever order they came in', () => {
    fc.assert(
      fc.property(rows(50), fc.infiniteStream(fc.nat()), (some, numbers) => {
        const sorted = worstFirst(some);
        const ranks = sorted.map((one) => rankOf(verdictOf(one)));
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        const shuffled = some
          .map((one) => ({ one, key: numbers.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one);
        expect(worstFirst(shuffled)).toEqual(sorted);
      }),
    );
  });

  it('loses none: the counts are those of all WECs', () => {
    fc.assert(
      fc.property(rows(50), (some) => {
        expect(countVerdicts(some).reduce((sum, [, count]) => sum + count, 0)).toBe(some.length);
      }),
    );
  });
});

describe('the spectrum', () => {
  it('has each WEC once, in the order of names, in ticks that are never wider than their place', () => {
    fc.assert(
      fc.property(rows(700), (some) => {
        const ticks = spectrumOf(some);
        expect(ticks.length).toBe(Math.min(some.length, MAX_TICKS));
        expect(ticks.reduce((sum, { count }) => sum + count, 0)).toBe(some.length);
        for (const { parts } of ticks) {
          const width = parts.reduce((sum, part) => sum + part.width, 0);
          expect(width).toBeGreaterThan(0.99);
          expect(width).toBeLessThanOrEqual(1.000_001);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the place of a WEC, whatever it reports', () => {
    const of = (health: string): readonly WecRow[] =>
      Array.from({ length: 1_000 }, (_, number) => ({
        wec: `edge-${1_000 + number}`,
        state: 'Reported',
        health: number === 777 ? health : 'Healthy',
      }));
    const place = (health: string) =>
      spectrumOf(of(health)).findIndex(({ verdict }) => verdict === health);
    expect(place('Degraded')).toBe(place('Progressing'));
    const { parts } = spectrumOf(of('Degraded'))[place('Degraded')] ?? { parts: [] };
    expect(parts).toEqual([
      { family: 'bad', width: 0.5 },
      { family: 'fine', width: 0.5 },
    ]);
  });
});
