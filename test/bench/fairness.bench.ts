import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';

const RATE = 50;
const SECONDS = 20;
/** 20 events each: far more than the stack records in the time that is measured. */
const MESSAGES = 5_000;
const MOST_TIMES = 2;

/** The others' changes while one WEC has a backlog, beside the same load without it, in one run. */
export async function benchFairness(
  size: { readonly seconds: number; readonly messages: number } = {
    seconds: SECONDS,
    messages: MESSAGES,
  },
): Promise<readonly Figure[]> {
  const section = `Fairness: ${SIZE.wecs} WECs with ${RATE} changes/s together, and one more that has ${size.messages} messages of 20 events waiting; embedded stack`;
  const pending = new Pending();
  const world = await startEmbeddedWorld({ ...SIZE, noisy: 'noisy' }, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(300, 5);
    const quiet = await load.run(RATE, size.seconds);
    await world.flood(size.messages);
    const noisy = await load.run(RATE, size.seconds);
    const left = await world.backlog();
    const text = ({ p99, lost }: Run): string => `p99 ${rounded(p99)} ms, ${lost} not shown`;
    return [
      {
        section,
        what: "p99 of the others' changes to the WDS, with the noisy one, as a multiple of without",
        value: noisy.p99 / quiet.p99,
        unit: 'times',
        goal: { type: 'at most', value: MOST_TIMES },
        beside: `without: ${text(quiet)}; with: ${text(noisy)}`,
      },
      { section, what: 'p50 without', value: quiet.p50, unit: 'ms' },
      { section, what: 'p50 with', value: noisy.p50, unit: 'ms' },
      {
        section,
        what: 'messages of the noisy one that still wait at the end',
        value: left,
        unit: 'messages',
        goal: { type: 'at least', value: 1 },
      },
    ];
  } finally {
    await world.stop();
  }
}
