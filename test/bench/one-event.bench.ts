import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import type { EventContent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { putApplied } from '#shared/state/head.ts';
import { TYPICAL } from './collectors.ts';
import { type Figure, quantile, rounded } from './figure.ts';
import { recorded, statusWith, wdsDeployment } from './recorded-deployment.ts';
import { aggregateAll, createUseCaseWorld, drain, type UseCaseWorld } from './use-case-world.ts';

const WDS = 'wds1';
const NAMESPACE = 'shop';
const NAME = 'web';
const GROUP = 'control.kubestellar.io';
const apiVersion = `${GROUP}/v1alpha1`;
const EVENTS = 40;
const WARM_UP_EVENTS = 10;
const SETUP_BATCH = 500;

function wdsObject(group: string, resource: string, object: JsonObject): EventContent {
  // Objects of this file have a name.
  const { name = '', namespace = '' } = object['metadata'] as Record<string, string>;
  const subject = { group, resource, namespace, name };
  return { type: 'wds-object', subject, first: true, object };
}

function binding(wecs: readonly string[]): JsonObject {
  const object = { group: 'apps', version: 'v1', resource: 'deployments' };
  const modulation = {
    statusCollectors: Object.keys(TYPICAL),
    wantMultiWECReportedState: true,
  };
  return {
    apiVersion,
    kind: 'Binding',
    metadata: { name: 'all', uid: 'binding-uid' },
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: [
          { ...object, namespace: NAMESPACE, name: NAME, resourceVersion: '1', ...modulation },
        ],
      },
    },
  };
}

function returned(available: number, more: JsonObject = {}, first = true): EventContent {
  return {
    type: 'wec-object',
    wds: WDS,
    subject: { group: 'apps', resource: 'deployments', namespace: NAMESPACE, name: NAME },
    first,
    returned: {
      uid: `uid-${available}`,
      generation: 1,
      spec: recorded('spec'),
      lastUpdate: '2026-11-21T09:13:45Z',
      status: statusWith(available, more),
    },
  };
}

/** One workload object on so many WECs, with all rows recorded and everything aggregated once. */
async function fill(world: UseCaseWorld, wecs: readonly string[]): Promise<void> {
  await world.record({ type: 'wds', name: WDS }, [
    ...Object.entries(TYPICAL).map(([name, spec]) =>
      wdsObject(GROUP, 'statuscollectors', {
        apiVersion,
        kind: 'StatusCollector',
        metadata: { name, uid: `uid-${name}` },
        spec,
      }),
    ),
    wdsObject('apps', 'deployments', wdsDeployment(NAME, NAMESPACE)),
    wdsObject(GROUP, 'bindings', binding(wecs)),
  ]);
  await aggregateAll(world);
  for (let from = 0; from < wecs.length; from += SETUP_BATCH) {
    // Each WEC's forwarder sends its own events; one call may record those of many.
    const batch = wecs.slice(from, from + SETUP_BATCH);
    await Promise.all(batch.map((name) => world.record({ type: 'wec', name }, [returned(5)])));
    await drain(world.dirty, async () => undefined);
  }
  await world.record({ type: 'wec', name: wecs[0] ?? '' }, [returned(4)]);
  await aggregateAll(world);
  await drain(world.hints, async () => undefined);
  // As the writer leaves it: until something was written in a new state, each aggregation asks which WECs have told nothing.
  const workload = {
    wds: WDS,
    group: 'apps',
    resource: 'deployments',
    namespace: NAMESPACE,
    name: NAME,
  };
  const pk = subjectPartition({ type: 'workload', workload });
  const nothing = { hash: '', owned: {}, errorBindings: [], reported: [] };
  if (!(await putApplied(world.store, pk, { revision: 1, ...nothing })))
    throw new Error('something else was applied');
}

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
    returned(turn % 5, { unavailableReplicas: 5 - (turn % 5) }, false),
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

async function measureEvents(file: string, count: number): Promise<Medians> {
  const database = openSqliteDatabase(file);
  const queue = (name: string) =>
    createSqliteMessageQueue(database, {
      name,
      fifo: true,
      visibilityTimeoutSeconds: 600,
      maxReceiveCount: 3,
      clock: Date.now,
    });
  const world = createUseCaseWorld(createSqliteItemStore(database), queue);
  const wecs = Array.from(
    { length: count },
    (_wec, index) => `wec-${String(index).padStart(5, '0')}`,
  );
  await fill(world, wecs);
  const costs: Cost[] = [];
  for (let turn = 0; turn < WARM_UP_EVENTS + EVENTS; turn += 1) {
    const cost = await oneEvent(world, wecs[(turn * 7919) % count] ?? '', turn);
    if (turn >= WARM_UP_EVENTS) costs.push(cost);
  }
  database.close();
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
