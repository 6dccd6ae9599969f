import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';
import { scalar, status, tables, WIDGET } from './generic-tables.ts';
import { naiveGeneric } from './naive-generic.ts';

function aggregate(rows: readonly PerWecRow[]): JsonObject | undefined {
  const fold = statusFold(WIDGET, new Map());
  return fold.finish(foldRows(fold, rows));
}

function withoutNulls(found: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(found).filter(([, inner]) => inner !== null));
}

describe('the aggregated status of a kind without a rule of its own', () => {
  it('is what looking at all WECs at once finds', () => {
    fc.assert(
      fc.property(tables, (rows) => {
        expect(stringifyJson(aggregate(rows))).toBe(stringifyJson(naiveGeneric(rows)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same however many WECs say the same', () => {
    fc.assert(
      fc.property(status, fc.integer({ min: 1, max: 5 }), (one, copies) => {
        const rows = Array.from({ length: copies }, (_none, index) => reported(`wec${index}`, one));
        expect(stringifyJson(aggregate(rows))).toBe(stringifyJson(aggregate(rows.slice(0, 1))));
      }),
    );
  });

  it('is, of one WEC, what that WEC says, as long as it says no null in a list', () => {
    const flat = fc.record({ a: scalar, b: fc.array(fc.integer()), c: fc.boolean() });
    fc.assert(
      fc.property(flat, (one) => {
        expect(aggregate([reported('wec1', one)])).toEqual(withoutNulls(one));
      }),
    );
  });

  it('is the same when it is aggregated again', () => {
    fc.assert(
      fc.property(tables, (rows) => {
        const once = aggregate(rows);
        if (once === undefined) return;
        expect(stringifyJson(aggregate([reported('wds', once)]))).toBe(stringifyJson(once));
      }),
    );
  });
});

describe('the fold of a kind without a rule of its own', () => {
  const rows = fc
    .tuple(status, fc.integer({ min: 0, max: 40 }), fc.option(fc.integer({ min: 1, max: 4 })))
    .map(([one, index, generation]): PerWecRow => {
      const wec = `wec${index}`;
      if (index % 7 === 6) return { wec };
      const observedGeneration = generation ?? 0;
      const conditions = [{ type: 'G', status: 'True', observedGeneration }];
      const said = generation === null ? one : { ...one, observedGeneration, conditions };
      return reported(wec, said, { generation: 2, sourceGeneration: generation ?? 1 });
    });
  checkFoldLaws(statusFold(WIDGET, new Map()), rows, { key: ({ wec }) => wec });
});
