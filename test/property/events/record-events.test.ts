import fc from 'fast-check';
import { expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { fuzzedBody, outcomeOf } from './fuzzed-batches.ts';

it('mutated batches are recorded, refused with a letter or left, and stop no honest message', async () => {
  const outcomes = { recorded: 0, letter: 0, failed: 0 };
  await fc.assert(
    fc.asyncProperty(fuzzedBody, async (body) => {
      outcomes[await outcomeOf(body)] += 1;
    }),
    { numRuns: histories({ first: 60, all: 200 }), seed: 13 },
  );
  expect(Math.min(outcomes.recorded, outcomes.letter)).toBeGreaterThan(10);
});
