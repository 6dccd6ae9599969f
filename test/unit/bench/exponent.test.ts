import { expect, it } from 'vitest';
import { exponentOf } from '#test/bench/cost/scenarios.ts';

it.each([0, 0.5, 1])('finds the exponent %d of a power', (exponent) => {
  const points = [100, 300, 1_000, 10_000].map((x) => [x, 7 * x ** exponent] as const);
  expect(exponentOf(points)).toBeCloseTo(exponent, 10);
});
