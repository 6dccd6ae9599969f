import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { explainingStatusFold, statusFold } from '#shared/core/status/kinds/rules.ts';
import { histories } from '#test/histories.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';
import { type Explained, explainedSet, wrongExplanations } from './explanations.ts';
import { tables, WIDGET } from './generic-tables.ts';
import { kindSets } from './kind-sets.ts';
import { SITUATIONS } from './kind-verdicts.ts';
import { ALL_KINDS } from './kinds/all.ts';

const NUM_RUNS = histories({ first: 10, all: 50 });

/** Random WECs, by the name of their kind. */
const KINDS: readonly (readonly [name: string, sets: fc.Arbitrary<Explained>])[] = [
  ...ALL_KINDS.map(([name, kind]) => {
    const sets = SITUATIONS.map(([, options]) => kindSets(kind, options));
    return [name, fc.oneof(...sets).map(explainedSet)] as const;
  }),
  ['any other kind', tables.map((rows) => ({ workload: WIDGET, specsByHash: new Map(), rows }))],
];

/** The row of another WEC that says the same. */
function renamed(row: PerWecRow, index: number): PerWecRow {
  return { ...row, wec: `wec${100 + index}` };
}

describe.each(KINDS)('the explanation of a status: %s', (_name, sets) => {
  it('names for each field WECs that give it alone, or all if no fewer do', () => {
    fc.assert(
      fc.property(sets, (one) => {
        expect(wrongExplanations(one).wrong).toEqual([]);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('names for each field of many WECs those that give it alone', () => {
    const many = sets
      .filter((one) => one.rows.length > 0)
      .chain((one) =>
        fc
          .array(fc.constantFrom(...one.rows), { minLength: 8, maxLength: 40 })
          .map((rows) => ({ ...one, rows: rows.map(renamed) })),
      );
    fc.assert(
      fc.property(many, (one) => {
        expect(wrongExplanations(one).wrong).toEqual([]);
      }),
      { numRuns: histories({ first: 5, all: 15 }) },
    );
  });

  it('is about the status that is written', () => {
    fc.assert(
      fc.property(sets, ({ workload, specsByHash, rows }) => {
        const written = statusFold(workload, specsByHash);
        const explained = explainingStatusFold(workload, specsByHash);
        expect(explained.finish(foldRows(explained, rows))?.status).toEqual(
          written.finish(foldRows(written, rows)),
        );
      }),
      { numRuns: NUM_RUNS },
    );
  });

  describe('its fold', () => {
    const folds = sets.map(({ workload }) => explainingStatusFold(workload, new Map()));
    const rows = sets
      .filter((one) => one.rows.length > 0)
      .chain((one) =>
        fc
          .tuple(fc.constantFrom(...one.rows), fc.integer({ min: 0, max: 40 }))
          .map(([row, index]) => ({ ...row, wec: `wec${index}` })),
      );
    checkFoldLaws(folds, rows, {
      key: ({ wec }) => wec,
      numRuns: histories({ first: 5, all: 15 }),
    });
  });
});
