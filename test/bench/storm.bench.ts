import { setTimeout as sleep } from 'node:timers/promises';
import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { type EmbeddedWorld, startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';

const RATE = 50;
const SECONDS = 20;
const POLL_MS = 100;
/** A change of the others waits for at most the whole storm. */
const PATIENCE_MS = 600_000;

const SOURCES = 10_000;
const OBJECTS = 5;

/** Returns when nothing waits any more: the seconds since the beginning, and the bytes of memory at most. */
async function untilCalm(
  world: EmbeddedWorld,
  began: number,
): Promise<{ readonly seconds: number; readonly memory: number }> {
  let memory = 0;
  for (let waiting = 1; waiting > 0; await sleep(POLL_MS)) {
    waiting = await world.waiting();
    memory = Math.max(memory, await world.stackMemory());
  }
  return { seconds: (performance.now() - began) / 1_000, memory };
}

/** Forwarders that reconnect at the same moment and report everything, beside the changes of others; embedded stack. */
export async function benchStorm(sources = SOURCES, objects = OBJECTS): Promise<readonly Figure[]> {
  const section = `A storm: ${rounded(sources)} WECs report ${objects} of ${SIZE.workloads} workloads at once, beside ${RATE} changes/s of ${SIZE.wecs} others; embedded stack`;
  const pending = new Pending();
  const world = await startEmbeddedWorld({ ...SIZE, storm: sources }, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(RATE, 5);
    await load.calm();
    const quiet = await load.run(RATE, SECONDS);
    await load.calm();
    const began = performance.now();
    await world.storm(objects);
    const accepted = performance.now() - began;
    const [beside, { seconds, memory }] = await Promise.all([
      load.run(RATE, SECONDS, PATIENCE_MS),
      untilCalm(world, began),
    ]);
    const text = ({ p50, p99, lost }: Run): string =>
      `p50 ${rounded(p50)} ms, p99 ${rounded(p99)} ms, ${lost} not shown`;
    return [
      {
        section,
        what: 'time until everything is recorded, aggregated and written',
        value: seconds,
        unit: 's',
        beside: `accepted after ${rounded(accepted / 1_000)} s`,
      },
      {
        section,
        what: 'rows that are missing afterwards',
        value: sources * objects - world.stormRows(),
        unit: 'rows',
        goal: { type: 'at most', value: 0 },
        beside: `of ${rounded(sources * objects)}`,
      },
      {
        section,
        what: "p99 of the others' changes during the storm",
        value: beside.p99,
        unit: 'ms',
        beside: `before: ${text(quiet)}; during: ${text(beside)}`,
      },
      { section, what: 'memory at most', value: memory / 1_000_000, unit: 'MB' },
    ];
  } finally {
    await world.stop();
  }
}
