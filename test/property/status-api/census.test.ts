import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { type Census, censusFold, isComplete, MAX_NAMED } from '#shared/core/status-api/census.ts';
import { counts, deployment, reported } from '#test/fixtures/wec-rows.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';

const FOLD = censusFold({
  workload: { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
  version: 'v1',
  object: deployment(),
  specs: new Map(),
});

const HEALTHY = (wec: string): PerWecRow => reported(wec, counts(3, [3, 3, 3]));
const SHAPES: readonly ((wec: string) => PerWecRow)[] = [
  HEALTHY,
  (wec) => reported(wec, counts(3, [3, 1, 1])),
  (wec) => ({ wec }),
  (wec) => ({ wec, oversizedBytes: 400_000 }),
  (wec) => ({ wec, uncounted: HEALTHY(wec) }),
  (wec) => ({ wec, uncounted: reported(wec, counts(3, [3, 1, 1])) }),
];
const row = fc
  .tuple(fc.nat({ max: 99 }), fc.constantFrom(...SHAPES))
  .map(([number, make]) => make(`wec${String(number).padStart(2, '0')}`));

describe('the census of the WECs of an object', () => {
  checkFoldLaws(FOLD, row, { key: ({ wec }) => wec });

  it('counts every WEC that is not Healthy and reported, and names the first of them', () => {
    const rows = fc.uniqueArray(row, { selector: ({ wec }) => wec, minLength: 20, maxLength: 90 });
    let cut = 0;
    fc.assert(
      fc.property(rows, fc.nat({ max: 90 }), (all, at) => {
        const [left, right] = [all.slice(0, at), all.slice(at)];
        const found: Census = FOLD.merge(foldRows(FOLD, left), foldRows(FOLD, right));
        const each = all
          .flatMap((one) => FOLD.lift(one).first)
          .sort(([a], [b]) => (a < b ? -1 : 1));
        expect(found.first).toEqual(each.slice(0, MAX_NAMED));
        const total = Object.values(found.counts).reduce((sum, count) => sum + count, 0);
        expect(total).toBe(each.length);
        expect(isComplete(found)).toBe(each.length <= MAX_NAMED);
        if (each.length > MAX_NAMED) cut += 1;
      }),
    );
    expect(cut).toBeGreaterThan(10);
  });

  it('finds the health and the state that the API shows', () => {
    const findings = SHAPES.map((make) =>
      FOLD.lift(make('wec')).first.map(([, finding]) => finding),
    );
    expect(findings).toEqual([
      [],
      ['Progressing/Reported'],
      ['Missing/Absent'],
      ['Missing/TooLarge'],
      [],
      ['Progressing/Reported'],
    ]);
  });
});
