import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

describe('a random collector over random statuses', () => {
  it('gives typed errors, bounded results, and the same in any order', () => {
    expect(fuzz(300, 1)).toBeGreaterThan(100);
  });
});
