import { expect, it } from 'vitest';
import { histories } from '#test/histories.ts';
import { playOutages } from './outages.ts';

const OUTAGES = 40;

it.each(Array.from({ length: histories({ first: 3, all: 10 }) }, (_history, seed) => seed))(
  'no verdict stays Healthy through an outage, and none is worse after it, in the history of seed %i',
  async (seed) => {
    const { wrong, withheld, verdicts } = await playOutages(seed, OUTAGES);
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    expect(verdicts).toBeGreaterThan(OUTAGES);
    expect(withheld).toBeGreaterThan(0);
  },
);
