import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isolateFailures } from '#functions/record-events/partial-failure.ts';

/** Tries items of which some fail whatever they are tried with; what was tried, what failed. */
async function attempt(items: readonly number[], bad: ReadonlySet<number>, lateAfter = Infinity) {
  const tries: (readonly number[])[] = [];
  const done: number[] = [];
  const told: number[] = [];
  const failed = await isolateFailures(items, {
    run: async (some) => {
      tries.push(some);
      if (some.some((item) => bad.has(item))) throw new Error('bad');
      done.push(...some);
    },
    onFailure: (item) => void told.push(item),
    isLate: () => tries.length >= lateAfter,
  });
  return { tries, done, told, failed: [...failed] };
}

describe('isolateFailures', () => {
  it('does everything that can be done, once, and reports what cannot', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 40 }), fc.array(fc.nat({ max: 40 })), async (count, some) => {
        const items = Array.from({ length: count }, (_, index) => index);
        const bad = new Set(some);
        const { done, told, failed } = await attempt(items, bad);
        expect(done).toEqual(items.filter((item) => !bad.has(item)));
        expect(told).toEqual(items.filter((item) => bad.has(item)));
        expect(failed).toEqual(told);
      }),
    );
  });

  it('finds one among a thousand in few attempts', async () => {
    const items = Array.from({ length: 1_000 }, (_, index) => index);
    const { tries, failed } = await attempt(items, new Set([617]));
    expect(failed).toEqual([617]);
    expect(tries.length).toBeLessThanOrEqual(21);
  });

  it('gives up on what is left when it is late', async () => {
    const { tries, done, failed } = await attempt([1, 2, 3, 4], new Set([1, 3]), 3);
    expect(tries).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [3, 4]]);
    expect(done).toEqual([2]);
    expect(failed).toEqual([1, 3, 4]);
  });
});
