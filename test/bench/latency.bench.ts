import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';

const RATES = [25, 50, 100, 200, 350, 500, 750, 1_000];
const SECONDS = 30;

/** Loads of growing rates on the embedded stack, open loop, until one leaves changes behind. */
async function measure(): Promise<readonly Run[]> {
  const pending = new Pending();
  const world = await startEmbeddedWorld(SIZE, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(300, 5);
    const runs: Run[] = [];
    for (const rate of RATES) {
      await load.calm();
      const run = await load.run(rate, SECONDS);
      runs.push(run);
      if (run.lost > 0) break;
    }
    return runs;
  } finally {
    await world.stop();
  }
}

/** From a change to the WDS, for loads of growing rates; the points of the picture in docs/performance.md. */
export async function benchLatency(): Promise<readonly Figure[]> {
  const section = `Latency over rate, open loop, ${SECONDS} s each, from a WEC to the WDS; embedded stack`;
  return (await measure()).flatMap(({ rate, p50, p99, lost }) => [
    { section, what: `p50 at ${rounded(rate)} changes/s`, value: p50, unit: 'ms' },
    {
      section,
      what: `p99 at ${rounded(rate)} changes/s`,
      value: p99,
      unit: 'ms',
      ...(lost > 0 ? { beside: `${lost} not shown` } : {}),
    },
  ]);
}
