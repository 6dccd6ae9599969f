import { describe, expect, it } from 'vitest';
import { type Fold, foldRows, foldRowsInSlices, mergingFold } from '#shared/core/fold/fold.ts';
import { allSlices } from '#shared/core/slices.ts';

let merges = 0;
const SUM: Fold<number, number, number> = {
  empty: 0,
  lift: (row) => row,
  merge: (a, b) => {
    merges += 1;
    return a + b;
  },
  finish: (part) => part,
};

describe('foldRows', () => {
  it.each([0, 1, 2, 3, 5, 8, 100])('takes each of %i rows once', (count) => {
    const rows = Array.from({ length: count }, (_row, index) => index + 1);
    expect(foldRows(SUM, rows)).toBe((count * (count + 1)) / 2);
  });

  it('merges parts of equally many rows, so that few merges are of large parts', () => {
    merges = 0;
    foldRows(SUM, new Array(1024).fill(1));
    expect(merges).toBe(1024);
  });
});

describe('foldRowsInSlices', () => {
  it.each([
    { count: 0, slices: 0 },
    { count: 1, slices: 0 },
    { count: 3, slices: 1 },
    { count: 10, slices: 3 },
  ])('folds $count rows in slices of 3', ({ count, slices }) => {
    const rows = Array.from({ length: count }, (_row, index) => index + 1);
    expect(allSlices(foldRowsInSlices(SUM, rows, 3))).toBe(foldRows(SUM, rows));
    expect([...foldRowsInSlices(SUM, rows, 3)]).toHaveLength(slices);
  });
});

describe('a fold of parts', () => {
  it('merges them as the fold does that made them', () => {
    const parts = [foldRows(SUM, [1, 2]), foldRows(SUM, [3]), SUM.empty];
    const fold = mergingFold(SUM);
    expect(fold.finish(foldRows(fold, parts))).toBe(SUM.finish(foldRows(SUM, [1, 2, 3])));
  });
});
