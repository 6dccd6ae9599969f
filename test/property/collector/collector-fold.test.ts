import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import type { CollectorRow } from '#shared/core/collector/compiled-collector.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';
import {
  aggregateCollector,
  collectorRow,
  groupCollector,
  selectCollector,
} from './arbitraries.ts';
import { naiveAggregate, naiveSelect } from './naive-collector.ts';

const byWec = { key: ({ wec }: CollectorRow) => wec };
const table = fc.uniqueArray(collectorRow, { maxLength: 30, selector: ({ wec }) => wec });

describe('plain selection, as a fold', () => {
  checkFoldLaws(selectCollector.map(collectorFold), collectorRow, byWec);

  it('gives what a naive evaluation of the whole table gives', () => {
    fc.assert(
      fc.property(selectCollector, table, (collector, rows) => {
        const fold = collectorFold(collector);
        expect(fold.finish(foldRows(fold, rows))).toEqual(naiveSelect(collector, rows));
      }),
      { numRuns: 1000 },
    );
  });
});

describe.each([
  ['aggregation without GROUP BY', aggregateCollector],
  ['aggregation with GROUP BY', groupCollector],
])('%s, as a fold', (_form, collectors) => {
  checkFoldLaws(collectors.map(collectorFold), collectorRow, byWec);

  it('gives what a naive evaluation of the whole table gives', () => {
    fc.assert(
      fc.property(collectors, table, (collector, rows) => {
        const fold = collectorFold(collector);
        expect(fold.finish(foldRows(fold, rows))).toEqual(naiveAggregate(collector, rows));
      }),
      { numRuns: 1000 },
    );
  });
});
