import { setTimeout as sleep } from 'node:timers/promises';
import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { type EmbeddedWorld, startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';

const RATE = 50;
const SECONDS = 20;
const POLL_MS = 500;
/** A change of the others waits for at most the whole storm. */
const PATIENCE_MS = 600_000;

const SOURCES = 10_000;
const OBJECTS = 5;

/** How a storm went. Times in seconds since its beginning. */
interface Course {
  readonly seconds: number;
  /** Bytes at most. */
  readonly memory: number;
  /** When so many WECs had everything recorded, as often as it was asked. */
  readonly recorded: readonly { readonly seconds: number; readonly wecs: number }[];
}

/** Returns when nothing waits any more. */
async function untilCalm(world: EmbeddedWorld, began: number, objects: number): Promise<Course> {
  const recorded: { seconds: number; wecs: number }[] = [];
  const seconds = (): number => (performance.now() - began) / 1_000;
  let memory = 0;
  for (let waiting = 1; waiting > 0; await sleep(POLL_MS)) {
    waiting = await world.waiting();
    memory = Math.max(memory, await world.stackMemory());
    const { wecs } = world.stormRecorded(objects);
    recorded.push({ seconds: seconds(), wecs });
  }
  return { seconds: seconds(), memory, recorded };
}

/** When this share of the WECs had everything recorded. */
function recordedAt({ recorded }: Course, share: number, sources: number): number {
  return recorded.find(({ wecs }) => wecs >= share * sources)?.seconds ?? Number.NaN;
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
    const [beside, course] = await Promise.all([
      load.run(RATE, SECONDS, PATIENCE_MS),
      untilCalm(world, began, objects),
    ]);
    await load.calm();
    const differences = await world.differences(objects);
    const text = ({ p50, p99, lost }: Run): string =>
      `p50 ${rounded(p50)} ms, p99 ${rounded(p99)} ms, ${lost} not shown`;
    return [
      {
        section,
        what: 'time until everything is recorded, aggregated and written',
        value: course.seconds,
        unit: 's',
        beside: `accepted after ${rounded(accepted / 1_000)} s`,
      },
      {
        section,
        what: 'time until a WEC has everything recorded, p99 of all WECs',
        value: recordedAt(course, 0.99, sources),
        unit: 's',
        beside: [0.01, 0.5, 1]
          .map((share) => `${share * 100} %: ${rounded(recordedAt(course, share, sources))} s`)
          .join(', '),
      },
      {
        section,
        what: 'rows that are missing afterwards',
        value: sources * objects - world.stormRecorded(objects).rows,
        unit: 'rows',
        goal: { type: 'at most', value: 0 },
        beside: `of ${rounded(sources * objects)}`,
      },
      {
        section,
        what: 'statuses and labels that differ from a fresh fold afterwards',
        value: differences.length,
        unit: 'differences',
        goal: { type: 'at most', value: 0 },
        beside: differences[0] ?? `of ${SIZE.workloads} workloads`,
      },
      {
        section,
        what: "p99 of the others' changes during the storm",
        value: beside.p99,
        unit: 'ms',
        beside: `before: ${text(quiet)}; during: ${text(beside)}`,
      },
      { section, what: 'memory at most', value: course.memory / 1_000_000, unit: 'MB' },
    ];
  } finally {
    await world.stop();
  }
}
