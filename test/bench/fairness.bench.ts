import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';
import { eventsInMessage, FLOODS, type Flood } from './noisy-source.ts';

const RATE = 50;
const SECONDS = 20;
/**
 * Far more than the stack records in the time that is measured. As many as are accepted wait at a time. Those that are expensive
 * to make all wait before the time begins, so that making them is not measured.
 */
function messagesOf(of: Flood['of']): number {
  return of === 'numbers' ? 200 : 5_000;
}

const MOST_TIMES = 2;

/** The others' changes while one WEC has a backlog of such events, beside the same load without it. */
async function benchFlood(of: Flood['of']): Promise<readonly Figure[]> {
  const section = `Fairness: ${SIZE.wecs} WECs with ${RATE} changes/s together, and one more that sends ${messagesOf(of)} messages of ${eventsInMessage(of)} ${of}; embedded stack`;
  const pending = new Pending();
  const world = await startEmbeddedWorld({ ...SIZE, noisy: 'noisy' }, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(300, 5);
    const quiet = await load.run(RATE, SECONDS);
    await world.flood(of, messagesOf(of));
    const noisy = await load.run(RATE, SECONDS);
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
        // What only replaces one item of its source may be done before the end.
        ...(of === 'changes' ? { goal: { type: 'at least', value: 1 } } : {}),
      },
    ];
  } finally {
    await world.stop();
  }
}

/** The others' changes while one WEC has a backlog, for each kind of flood; in each beside the load without it. */
export async function benchFairness(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const of of FLOODS) figures.push(...(await benchFlood(of)));
  return figures;
}
