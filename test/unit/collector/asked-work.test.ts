import { describe, expect, it } from 'vitest';
import { askedWork, askingBindings } from '#shared/core/collector/asked-work.ts';

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
});

describe('the Bindings that ask for most', () => {
  const cheap = { loops: 0, characters: 100 };
  const works = new Map([
    ['expensive', { loops: 3, characters: 50 }],
    ['long', { loops: 0, characters: 1_050 }],
    ['loop', { loops: 1, characters: 40 }],
    ...Array.from({ length: 90 }, (_c, i) => [`cheap${10 + i}`, cheap] as const),
  ]);
  const of = (binding: string, ...statusCollectors: readonly string[]) => ({
    binding,
    modulation: { statusCollectors },
  });

  it('are those of the largest sum, not those of the most expensive StatusCollector', () => {
    const many = [...works.keys()].filter((name) => name.startsWith('cheap'));
    const asking = askingBindings([of('honest', 'expensive'), of('hostile', ...many)], works);
    expect(asking.map(({ binding }) => binding)).toEqual(['hostile', 'honest']);
    expect(asking[0]).toMatchObject({ loops: 0, characters: 9_000 });
    expect(asking[0]?.collectors.slice(0, 2)).toEqual(['cheap10', 'cheap11']);
    expect(asking[1]).toMatchObject({ loops: 3, characters: 50, collectors: ['expensive'] });
  });

  it('name the collectors that ask for most first, of which a loop counts 1,000 characters', () => {
    const [asking] = askingBindings([of('a', 'cheap10', 'loop', 'long', 'expensive')], works);
    expect(asking?.collectors).toEqual(['expensive', 'long', 'loop', 'cheap10']);
  });

  it('are in the order of their names where they ask for as much, and name what is evaluated', () => {
    const namings = [of('b', 'loop', 'gone'), of('a', 'loop'), of('none', 'gone'), of('empty')];
    expect(askingBindings(namings, works)).toEqual([
      { binding: 'a', collectors: ['loop'], loops: 1, characters: 40 },
      { binding: 'b', collectors: ['loop'], loops: 1, characters: 40 },
    ]);
  });
});
