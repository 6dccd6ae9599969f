import { describe, expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { fuzz } from './fuzz.ts';

describe('a random collector over random statuses', () => {
  it('gives typed errors, bounded results, and the same in any order', () => {
    const runs = histories({ first: 100, all: 300 });
    expect(fuzz(runs, 1)).toBeGreaterThan(runs / 3);
  });
});
