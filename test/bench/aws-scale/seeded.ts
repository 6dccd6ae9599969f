import type { Latency } from './assumptions.ts';

/** The standard normal quantile of 0.99. */
const Z99 = 2.326;

/** Numbers from 0 to less than 1 that look like chance and are the same in each run (the generator mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The duration of a call in whole milliseconds, log-normal with this median and 99th percentile. */
export function drawLatency({ p50, p99 }: Latency, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const sigma = Math.log(p99 / p50) / Z99;
  return Math.max(1, Math.round(p50 * Math.exp(sigma * normal)));
}
