import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { departingFields, nearerStatuses } from './departures.ts';
import { kindSets } from './kind-sets.ts';
import { SITUATIONS } from './kind-verdicts.ts';
import { ALL_KINDS } from './kinds/all.ts';

// biome-ignore lint/style/noProcessEnv: how long to look is for whoever starts the tests to say.
const NUM_RUNS = Number(process.env['STARFOLD_HEALTH_SETS'] ?? histories({ first: 25, all: 80 }));

describe.each(ALL_KINDS)('%s', (_name, kind) => {
  describe.each(SITUATIONS)('aggregated from WECs with %s', (_situation, options) => {
    it('is the letter of the proposal where that will do, else the letter with the fewest other fields', () => {
      fc.assert(
        fc.property(kindSets(kind, options), (set) => {
          expect(nearerStatuses(kind, set), String(departingFields(kind, set))).toEqual([]);
        }),
        { numRuns: NUM_RUNS },
      );
    });
  });
});
