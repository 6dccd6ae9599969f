import { setTimeout as sleep } from 'node:timers/promises';
import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { startEmbeddedWorld } from './embedded-world.ts';

const RATES = [25, 50, 100, 200, 350, 500, 750, 1_000];
const SECONDS = 10;
/** After this time, the stack has finished what follows from the last change. */
const CALM_MS = 3_000;

/** Loads of growing rates on the embedded stack, open loop, until one leaves changes behind. */
export async function measureLatencyCurve(): Promise<readonly Run[]> {
  const pending = new Pending();
  const world = await startEmbeddedWorld(SIZE, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(300, 5);
    const runs: Run[] = [];
    for (const rate of RATES) {
      await sleep(CALM_MS);
      const run = await load.run(rate, SECONDS);
      runs.push(run);
      if (run.lost > 0) break;
    }
    return runs;
  } finally {
    await world.stop();
  }
}
