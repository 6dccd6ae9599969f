import { describe, expect, it } from 'vitest';
import { askedWork, byAskedWork } from '#shared/core/collector/asked-work.ts';

describe('what a StatusCollector asks for', () => {
  it('is counted over all of its expressions, in both forms', () => {
    const spec = {
      filter: 'l.all(a, l.exists(b, b == a))',
      groupBy: [{ name: 'g', def: 'm.filter (k, k.matches("a")).map(k, k)' }],
      combinedFields: [
        { name: 'n', type: 'COUNT' },
        { name: 's', type: 'SUM', subject: { op: 'Path', path: '$.spec.x' } },
      ],
    };
    expect(askedWork(spec)).toEqual({ loops: 5, characters: 29 + 38 + 31 });
  });

  it('is nothing if its form is wrong, and whatever its expressions are', () => {
    expect(askedWork(undefined)).toBeUndefined();
    expect(askedWork({ select: [{ name: 'a', def: '((' }] })).toEqual({ loops: 0, characters: 2 });
  });

  it('is ordered by loops, then by characters', () => {
    const asked = [
      { loops: 1, characters: 9 },
      { loops: 2, characters: 1 },
      { loops: 2, characters: 5 },
    ];
    expect(asked.toSorted(byAskedWork)).toEqual([asked[2], asked[1], asked[0]]);
  });
});
