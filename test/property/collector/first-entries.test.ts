import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeSized,
  type SizedEntries,
  type SizedOrder,
  sizedEntry,
} from '#shared/core/collector/first-entries.ts';
import type { Fold } from '#shared/core/fold/fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';

type Entry = readonly [key: number, bytes: number, rows: number];
type Part = SizedEntries<Entry, number>;

function orderOf(limit: number, maxBytes: number): SizedOrder<Entry, number> {
  return {
    limit,
    maxBytes,
    keyOf: ([key]) => key,
    bytesOf: ([, bytes]) => bytes,
    compareKeys: (a, b) => a - b,
    compare: ([a], [b]) => a - b,
    combine: ([key, bytes, a], [, , b]) => [key, bytes, a + b],
  };
}

function foldOf(limit: number, maxBytes: number): Fold<number, Part, Part> {
  const order = orderOf(limit, maxBytes);
  return {
    empty: { entries: [] },
    // As many bytes as the key says: of one key always the same.
    lift: (key) => sizedEntry<Entry, number>([key, 1 + ((key * 7) % 11), 1], order),
    merge: (a, b) => mergeSized(a, b, order),
    finish: (part) => part,
  };
}

const keys = fc.nat({ max: 12 });
const limits = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  maxBytes: fc.integer({ min: 3, max: 30 }),
});

describe('the first entries of a table, bounded by number and bytes', () => {
  checkFoldLaws(
    limits.map(({ limit, maxBytes }) => foldOf(limit, maxBytes)),
    keys,
  );

  it('are those of the sorted table up to the first that does not fit', () => {
    fc.assert(
      fc.property(limits, fc.array(keys, { maxLength: 24 }), ({ limit, maxBytes }, rows) => {
        const fold = foldOf(limit, maxBytes);
        const first = [...new Set(rows)].sort((a, b) => a - b).slice(0, limit);
        let bytes = 0;
        const cut = first.find((key) => {
          bytes += 1 + ((key * 7) % 11);
          return bytes > maxBytes;
        });
        const { entries, cut: found } = foldRows(fold, rows);
        expect(found).toBe(cut);
        expect(entries.map(([key, , count]) => [key, count])).toEqual(
          first
            .filter((key) => cut === undefined || key < cut)
            .map((key) => [key, rows.filter((row) => row === key).length]),
        );
      }),
      { numRuns: 2000 },
    );
  });
});
