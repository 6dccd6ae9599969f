import { describe, expect, it } from 'vitest';
import { byWec, type EntryOrder, mergeFirst } from '#shared/core/collector/first-entries.ts';

type Entry = readonly [wec: string, value: number];

function entries(names: string): readonly Entry[] {
  return [...names].map((name, index): Entry => [name, index]);
}

function names(merged: readonly Entry[]): string {
  return merged.map(([name]) => name).join('');
}

const summed: EntryOrder<Entry> = {
  ...byWec<Entry>(3),
  combine: ([name, a], [, b]) => [name, a + b],
};

describe('the first entries of two sorted lists', () => {
  it.each([
    ['', '', ''],
    ['ab', 'cd', 'abc'],
    ['cd', 'ab', 'abc'],
    ['ad', 'bc', 'abc'],
    ['ac', 'b', 'abc'],
    ['b', 'ad', 'abd'],
    ['abc', 'bcd', 'abc'],
    ['abc', 'd', 'abc'],
  ])('%j and %j are %j', (a, b, expected) => {
    expect(names(mergeFirst(entries(a), entries(b), summed))).toBe(expected);
  });

  it('has equal entries combined', () => {
    expect(mergeFirst([['a', 1]], [['a', 2]], summed)).toEqual([['a', 3]]);
    expect(mergeFirst(entries('abc'), [['c', 5]], summed)).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 7],
    ]);
  });

  it.each([
    ['is empty', 'ab', ''],
    ['begins after the first list is full', 'abc', 'de'],
  ])('is the first list itself if the second %s', (_case, a, b) => {
    const kept = entries(a);
    expect(mergeFirst(kept, entries(b), summed)).toBe(kept);
    expect(mergeFirst(entries(b), kept, summed)).toBe(kept);
  });
});

describe('entries by WEC', () => {
  it('have a WEC that comes twice once', () => {
    expect(mergeFirst([['a', 1]], [['a', 2]], byWec<Entry>(3))).toEqual([['a', 1]]);
  });
});
