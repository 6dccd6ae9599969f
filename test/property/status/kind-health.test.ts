import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { histories } from '#test/histories.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';
import { type KindSets, kindSets } from './kind-sets.ts';
import { misjudgements, refusedWrites, SITUATIONS, untoldWrites } from './kind-verdicts.ts';
import { ALL_KINDS } from './kinds/all.ts';

// `npm run verdicts` judges the same sets by the same functions, and more of them.
// biome-ignore lint/style/noProcessEnv: how long to look is for whoever starts the tests to say.
const NUM_RUNS = Number(process.env['STARFOLD_HEALTH_SETS'] ?? histories({ first: 5, all: 20 }));

describe.each(ALL_KINDS)('%s', (_name, kind) => {
  describe.each(SITUATIONS)('aggregated from WECs with %s', (_situation, options) => {
    const sets = kindSets(kind, options);

    it('is to both versions of Argo CD what the worst WEC is (docs/architecture.md, section 9.4)', () => {
      fc.assert(
        fc.property(sets, (set) => {
          expect(misjudgements(kind, set)).toEqual([]);
        }),
        { numRuns: NUM_RUNS },
      );
    });

    it('has statuses that the API server takes, while WECs join and leave', () => {
      fc.assert(
        fc.property(sets, (set) => {
          expect(refusedWrites(set)).toEqual([]);
        }),
        { numRuns: NUM_RUNS },
      );
    });

    it('is written as it is wanted, so far as Argo CD sees, or with words about what stays', () => {
      fc.assert(
        fc.property(sets, (set) => {
          expect(untoldWrites(set)).toEqual([]);
        }),
        { numRuns: NUM_RUNS },
      );
    });
  });

  describe('the fold of its status', () => {
    const { folds, rows } = foldsAndRows(kind);
    checkFoldLaws(folds, rows, {
      key: ({ wec }) => wec,
      numRuns: histories({ first: 5, all: 20 }),
    });
  });
});

function foldsAndRows(kind: KindSets) {
  const sets = kindSets(kind, { differingSpecs: true, outOfStep: true });
  // Without the specs: how a row is compared with the WDS is not for the fold to say.
  const folds = sets.map(({ workload }) => statusFold(workload, new Map()));
  const rows = sets.chain(({ wecs }) =>
    fc
      .tuple(fc.constantFrom(...wecs), fc.integer({ min: 0, max: 40 }))
      .map(([{ perWec }, index]) => ({ ...perWec, wec: `wec${index}` })),
  );
  return { folds, rows };
}
