import { Load, Pending, type Run, SIZE } from './embedded.bench.ts';
import { type EmbeddedWorld, startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';
import { eventsInMessage, FLOODS, type Flood } from './noisy-source.ts';

const RATE = 50;
const SECONDS = 20;
/**
 * Far more than the stack records in the time that is measured; fewer of those that are expensive to make. As many as are accepted
 * wait at a time.
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
    await load.calm();
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

const NAMED = 200;
const FLAPPING = 5;
const FLAPS = 20;
const BINDINGS = 20;
/** A burst follows whenever several Bindings are reported at once, so the time has many of them. */
const USERS_SECONDS = 60;

async function longestBinding(world: EmbeddedWorld, from: number): Promise<number> {
  let longest = 0;
  for (let index = from; index < from + BINDINGS; index += 1)
    longest = Math.max(longest, await world.bind(index));
  return longest;
}

/** The changes of a user's objects, and new Bindings of another user, while a third one changes a Binding again and again. */
async function benchUsers(): Promise<readonly Figure[]> {
  const section = `Fairness among users of a WDS: ${RATE} changes/s and new Bindings, while somebody deletes and creates ${FLAPPING} Bindings of ${NAMED} objects ${FLAPS} times a second in all; embedded stack`;
  const pending = new Pending();
  const size = { ...SIZE, others: NAMED, thirds: 2 * BINDINGS };
  const world = await startEmbeddedWorld(size, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(300, 5);
    await load.calm();
    const quiet = await load.run(RATE, USERS_SECONDS);
    const longestQuiet = await longestBinding(world, 0);
    const end = world.flap(FLAPPING, FLAPS);
    const noisy = await load.run(RATE, USERS_SECONDS);
    const longest = await longestBinding(world, BINDINGS);
    end();
    const goal = { type: 'at most', value: MOST_TIMES } as const;
    const p99 = ({ p99: ms }: Run): string => `${rounded(ms)} ms`;
    return [
      {
        section,
        what: 'p99 of the changes to the WDS, with the noisy one, as a multiple of without',
        value: noisy.p99 / quiet.p99,
        unit: 'times',
        goal,
        beside: `without: ${p99(quiet)}; with: ${p99(noisy)}`,
      },
      {
        section,
        what: `longest of ${BINDINGS} new Bindings to a status, with the noisy one`,
        value: longest,
        unit: 'ms',
        beside: `without: ${rounded(longestQuiet)} ms`,
      },
    ];
  } finally {
    await world.stop();
  }
}

/** The others' changes while one WEC has a backlog, for each kind of flood; in each beside the load without it. */
export async function benchFairness(): Promise<readonly Figure[]> {
  const figures = [...(await benchUsers())];
  for (const of of FLOODS) figures.push(...(await benchFlood(of)));
  return figures;
}
