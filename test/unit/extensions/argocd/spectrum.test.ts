import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wecRow as pageRow } from '#console/model/wec-row.ts';
import { spectrumOf } from '#extensions/argocd/spectrum.ts';
import { verdictOf, type WecRow, worstFirst } from '#extensions/argocd/wec-rows.ts';
import { rankOf, verdictOfReport } from '#shared/core/explanation/shown-verdict.ts';
import { MAX_TICKS } from '#shared/core/explanation/spectrum.ts';
import { wecStatus } from '#test/unit/console/objects.ts';

const STATES = ['Silent', 'TooLarge', 'Missing', 'NotReported', 'Reported'] as const;
const HEALTHS = [
  ...(['Healthy', 'Suspended', 'Progressing'] as const),
  ...(['Missing', 'Degraded', 'Unknown'] as const),
];

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
  it.each(STATES.flatMap((state) => [undefined, ...HEALTHS].map((health) => [state, health])))(
    'in the state %s with the health %s is the same in the tab and on the page',
    (state = 'Reported', health) => {
      const said = health === undefined ? {} : { health };
      const verdict = verdictOfReport(state, health);
      expect(verdictOf({ state, ...said })).toBe(verdict);
      const { health: _health, ...bare } = wecStatus();
      const judged = HEALTHS.find((one) => one === health);
      const status = {
        ...bare,
        state: STATES.find((one) => one === state) ?? 'Reported',
        ...(judged === undefined ? {} : { health: { status: judged } }),
      };
      expect(pageRow(status).verdict).toBe(verdict);
    },
  );
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
      { verdict: 'Degraded', width: 0.5 },
      { verdict: 'Healthy', width: 0.5 },
    ]);
  });
});
