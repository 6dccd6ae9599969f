import { quantile } from '#test/e2e/latency.ts';

/** The milliseconds of each round, sorted. */
export async function timesOf(
  rounds: number,
  run: (round: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const begin = performance.now();
    await run(round);
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}

/** Prints what rounds have taken. */
export function report(what: string, times: readonly number[]): void {
  const figures = `p50 ${quantile(times, 0.5)}, p99 ${quantile(times, 0.99)}`;
  process.stdout.write(`${what}, ${times.length} times: ${figures}\n`);
}
