import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { type Figure, quantile, rounded } from './figure.ts';
import { fill, namesOf, returned } from './filled-world.ts';
import { drain, openUseCaseWorld, type UseCaseWorld } from './use-case-world.ts';

const NAME = 'web';
const EVENTS = 40;
const WARM_UP_EVENTS = 10;

/** What one event took, in milliseconds and items. */
interface Cost {
  readonly recordMs: number;
  readonly aggregateMs: number;
  /** Of the aggregation, what was not spent in calls of the store: decoding, folding, encoding. */
  readonly computeMs: number;
  readonly rows: number;
  readonly parts: number;
}

async function oneEvent(world: UseCaseWorld, wec: string, turn: number): Promise<Cost> {
  const { store } = world;
  const began = performance.now();
  await world.record({ type: 'wec', name: wec }, [
    returned(NAME, turn % 5, { more: { unavailableReplicas: 5 - (turn % 5) }, first: false }),
  ]);
  const recordMs = performance.now() - began;
  store.reset();
  let aggregateMs = 0;
  await drain(world.dirty, async (messages) => {
    const dirty = messages.map(({ body }) => parseDirty(body));
    const start = performance.now();
    await handleDirty(world.deps, dirty);
    aggregateMs += performance.now() - start;
  });
  const { rows, parts, spentMs } = store;
  await drain(world.hints, async () => undefined);
  return {
    recordMs,
    aggregateMs,
    computeMs: aggregateMs - spentMs,
    rows,
    parts,
  };
}

function median(costs: readonly Cost[], key: keyof Cost): number {
  return quantile(
    costs.map((cost) => cost[key]),
    0.5,
  );
}

type Medians = Readonly<Record<keyof Cost | 'fastestMs', number>>;

/** The medians of events in a database in this file, for a workload of so many WECs. */
export async function measureEvents(file: string, count: number): Promise<Medians> {
  const { world, close } = openUseCaseWorld(file);
  const wecs = namesOf('wec', count);
  await fill(world, [NAME], wecs);
  const costs: Cost[] = [];
  for (let turn = 0; turn < WARM_UP_EVENTS + EVENTS; turn += 1) {
    const cost = await oneEvent(world, wecs[(turn * 7919) % count] ?? '', turn);
    if (turn >= WARM_UP_EVENTS) costs.push(cost);
  }
  await close();
  return {
    recordMs: median(costs, 'recordMs'),
    aggregateMs: median(costs, 'aggregateMs'),
    computeMs: median(costs, 'computeMs'),
    fastestMs: Math.min(...costs.map(({ computeMs }) => computeMs)),
    rows: quantile(
      costs.map(({ rows }) => rows),
      1,
    ),
    parts: quantile(
      costs.map(({ parts }) => parts),
      1,
    ),
  };
}

function figuresOf(place: string, count: number, medians: Medians): readonly Figure[] {
  const section = `One event on a workload of ${rounded(count)} WECs, 3 collectors and multi-WEC status, ${place}`;
  const isGoal = count === 10_000;
  const goal = (value: number): Pick<Figure, 'goal'> =>
    isGoal ? { goal: { type: 'at most', value } } : {};
  const { recordMs, aggregateMs, computeMs, fastestMs, rows, parts } = medians;
  return [
    {
      section,
      what: 'rows and parts read (highest)',
      value: rows + parts,
      unit: 'items',
      ...goal(300),
      beside: `${rows} rows and ${parts} parts; √N = ${rounded(Math.sqrt(count))}`,
    },
    {
      section,
      what: 'fold, with decoding and encoding',
      value: computeMs,
      unit: 'ms',
      ...goal(10),
      beside: `fastest event: ${rounded(fastestMs)} ms`,
    },
    { section, what: 'whole aggregation', value: aggregateMs, unit: 'ms' },
    { section, what: 'recording', value: recordMs, unit: 'ms' },
  ];
}

const SIZES = [100, 1_000, 10_000, 40_000];

/** One event through the real use cases, for growing workloads. */
export async function benchOneEvent(sizes: readonly number[] = SIZES): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-bench-'));
  const figures: Figure[] = [];
  try {
    const measured = new Map<number, Medians>();
    for (const count of sizes) {
      const medians = await measureEvents(join(folder, `${randomUUID()}.db`), count);
      measured.set(count, medians);
      figures.push(...figuresOf('SQLite file (median)', count, medians));
    }
    const [small, large] = [measured.get(1_000), measured.get(40_000)];
    if (small !== undefined && large !== undefined)
      figures.push(
        {
          section: 'Growth of one event from 1,000 to 40,000 WECs',
          what: 'rows and parts read',
          value: (large.rows + large.parts) / (small.rows + small.parts),
          unit: 'times',
          goal: { type: 'at most', value: Math.sqrt(40) },
          beside: '√N grows 6.32 times, N 40 times',
        },
        {
          section: 'Growth of one event from 1,000 to 40,000 WECs',
          what: 'fold (fastest events)',
          value: large.fastestMs / small.fastestMs,
          unit: 'times',
          goal: { type: 'at most', value: Math.sqrt(40) },
        },
      );
    if (sizes.includes(10_000))
      figures.push(
        ...figuresOf('in memory (median)', 10_000, await measureEvents(':memory:', 10_000)),
      );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return figures;
}
