import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { explainState } from '#shared/api/explain-state.ts';
import type { EventContent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { EVERYTHING, type StatusSelector } from '#shared/core/status-api/selector.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { JOURNALED_KEYS } from '#shared/state/status-source/changes.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { type Figure, quantile } from './figure.ts';
import { collectGarbage, longestBlock } from './longest-block.ts';
import { queryFigures } from './query-figures.ts';
import { recorded, statusWith, wdsDeployment } from './recorded-deployment.ts';
import { aggregateAll, createUseCaseWorld, drain, type UseCaseWorld } from './use-case-world.ts';
import { watchFigures } from './watch-figures.ts';

const WDS = 'wds1';
const SECTION = 'ask every WEC: reads of the API, on SQLite';
const SCOPE = { namespace: 'shop' } as const;
const ROUNDS = 100;
const WARM_UP = 20;
const EXPLANATIONS = 20;
const SETUP_BATCH = 500;
const CONTROL = 'control.kubestellar.io';
const WANTED = Number(recorded('spec')['replicas'] ?? 1);
const READ = { readable: () => true, selector: EVERYTHING } as const;

/** So many objects, each in so many WECs. */
interface Shape {
  readonly objects: number;
  readonly wecs: number;
}

export const nameOf = (index: number): string => `web-${index}`;
export const wecOf = (index: number): string => `edge-${String(index).padStart(5, '0')}`;
const subjectOf = (name: string) => ({
  ...{ group: 'apps', resource: 'deployments', namespace: 'shop' },
  name,
});

function wdsEvent(group: string, resource: string, object: JsonObject): EventContent {
  // The objects of this file have a name.
  const { name = '', namespace = '' } = object['metadata'] as Record<string, string>;
  return { type: 'wds-object', subject: { group, resource, namespace, name }, first: true, object };
}

function bindingOf({ objects, wecs }: Shape): JsonObject {
  const bound = Array.from({ length: objects }, (_, index) => ({
    ...{ group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' },
    ...{ name: nameOf(index), resourceVersion: '1', wantMultiWECReportedState: true },
  }));
  return {
    apiVersion: `${CONTROL}/v1alpha1`,
    kind: 'Binding',
    metadata: { name: 'all', uid: 'binding-uid' },
    spec: {
      destinations: Array.from({ length: wecs }, (_, index) => ({ clusterId: wecOf(index) })),
      workload: { namespaceScope: bound },
    },
  };
}

/** A WEC's report about an object, with so many available replicas or with this status. */
export function reported(name: string, status: number | JsonObject, first = true): EventContent {
  return {
    type: 'wec-object',
    wds: WDS,
    subject: subjectOf(name),
    first,
    returned: {
      uid: `uid-${name}`,
      generation: 1,
      spec: recorded('spec'),
      lastUpdate: '2026-11-21T09:13:45Z',
      status: typeof status === 'number' ? statusWith(status) : status,
    },
  };
}

/** Every hundredth WEC has too few replicas. */
function availableIn(wec: number): number {
  return wec % 100 === 7 ? 1 : WANTED;
}

/** Records all reports of a shape, and what they lead to. */
export async function fill(world: UseCaseWorld, shape: Shape): Promise<void> {
  const names = Array.from({ length: shape.objects }, (_, index) => nameOf(index));
  for (let wec = 0; wec < shape.wecs; wec += 1)
    for (let from = 0; from < names.length; from += SETUP_BATCH)
      await world.record(
        { type: 'wec', name: wecOf(wec) },
        names.slice(from, from + SETUP_BATCH).map((name) => reported(name, availableIn(wec))),
      );
  // The objects are aggregated once, when the WDS and the Binding report them.
  await drain(world.dirty, async () => undefined);
  await world.record(
    { type: 'wds', name: WDS },
    names.map((name) => wdsEvent('apps', 'deployments', wdsDeployment(name, 'shop'))),
  );
  await world.record({ type: 'wds', name: WDS }, [wdsEvent(CONTROL, 'bindings', bindingOf(shape))]);
  await aggregateAll(world);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

/** The milliseconds of each round. */
export async function times(
  run: (round: number) => Promise<unknown>,
  rounds = ROUNDS,
): Promise<readonly number[]> {
  const found: number[] = [];
  for (let round = 0; round < rounds; round += 1) found.push(await timed(() => run(round)));
  return found;
}

function figures(what: string, values: readonly number[], atMost?: number): readonly Figure[] {
  const goal = atMost === undefined ? {} : { goal: { type: 'at most', value: atMost } as const };
  return [
    { section: SECTION, what: `${what}, p50`, value: quantile(values, 0.5), unit: 'ms' },
    { section: SECTION, what: `${what}, p99`, value: quantile(values, 0.99), unit: 'ms', ...goal },
  ];
}

function byHealth(value: string): StatusSelector {
  return { labels: [], fields: [{ field: 'health', operator: '=', value }] };
}

/** From the call that records a report until a subscriber has read what has changed. */
async function changeTimes(world: UseCaseWorld, source: StatusSource): Promise<readonly number[]> {
  let told = Promise.withResolvers<void>();
  const end = source.subscribe(() => told.resolve());
  // A subscription does not keep the process alive.
  const alive = setInterval(() => undefined, 1_000);
  const found: number[] = [];
  for (let round = 0; round < ROUNDS / 2; round += 1) {
    // Not in step with the looks of the journal.
    await delay(round % 10);
    let revision = await source.revision();
    const begun = performance.now();
    await world.record({ type: 'wec', name: wecOf(round) }, [reported(nameOf(0), WANTED, false)]);
    for (let seen = false; !seen; ) {
      await told.promise;
      told = Promise.withResolvers();
      const changes = await source.changes(revision);
      revision = changes?.revision ?? revision;
      seen = changes?.changed.some(({ type }) => type === 'wec-status') === true;
    }
    found.push(performance.now() - begun);
  }
  clearInterval(alive);
  end();
  return found;
}

async function benchShape(title: string, shape: Shape): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-ask-'));
  const database = openSqliteDatabase(join(folder, 'starfold.db'));
  const journal = openSqliteJournal(database, { keys: JOURNALED_KEYS, nowMs: Date.now() });
  const store = createSqliteItemStore(database);
  const world = createUseCaseWorld(store, (name) =>
    createSqliteMessageQueue(database, {
      ...{ name, fifo: true, visibilityTimeoutSeconds: 60, maxReceiveCount: 5 },
      clock: Date.now,
    }),
  );
  await fill(world, shape);
  const source = createStatusSource({ store: world.store, wds: WDS, journal, clock: Date.now });
  const list = (more: Partial<Parameters<StatusSource['wecStatuses']>[0]>) =>
    source.wecStatuses({ ...READ, scope: SCOPE, limit: 500, ...more });
  // A server has compiled what it reads with, and what the reports left behind is not collected while the reads are timed.
  await times(() => list({}), WARM_UP);
  collectGarbage();
  const pages = await times(() => list({}));
  world.store.reset();
  const page = await list({ selector: byHealth('Progressing') });
  const [rows, found] = [world.store.rows, page.items.length];
  const sick = await times(() => list({ selector: byHealth('Progressing') }));
  const gets = await times((round) =>
    source.wecStatus({
      workload: subjectOf(nameOf(round % shape.objects)),
      wec: wecOf(round % shape.wecs),
    }),
  );
  const explain = async (round: number) => {
    const state = await source.workload(subjectOf(nameOf(round % shape.objects)));
    if (state === undefined) throw new Error('a Binding names the object');
    return explainState(state, new AbortController().signal);
  };
  const explained = await times(explain, EXPLANATIONS);
  collectGarbage();
  const block = await longestBlock(() => explain(0));
  const queries = await queryFigures(source, {
    ...{ title, section: SECTION, namespace: SCOPE.namespace },
    rows: shape.objects * shape.wecs,
  });
  const watches = await watchFigures(source, {
    ...{ title, section: SECTION, namespace: SCOPE.namespace },
    change: (round) =>
      world.record({ type: 'wec', name: wecOf(round) }, [reported(nameOf(0), WANTED, false)]),
  });
  const changes = await changeTimes(world, source);
  database.close();
  await rm(folder, { recursive: true });
  return [
    ...figures(`${title}: first page of 500`, pages, 50),
    ...figures(`${title}: first page by health, ${found} found by ${rows} rows`, sick, 50),
    ...figures(`${title}: get`, gets, 10),
    ...figures(`${title}: get of an explanation`, explained, 1000),
    {
      section: SECTION,
      what: `${title}: get of an explanation, longest block of CPU time`,
      ...{ value: block, unit: 'ms', goal: { type: 'at most', value: 50 } },
    },
    ...figures(`${title}: change to notification`, changes, 1000),
    ...queries,
    ...watches,
  ];
}

/** Measures the reads of the API, on 10,000 rows in two shapes. */
export async function benchAsk(): Promise<readonly Figure[]> {
  return [
    ...(await benchShape('1 object in 10,000 WECs', { objects: 1, wecs: 10_000 })),
    ...(await benchShape('100 objects in 100 WECs', { objects: 100, wecs: 100 })),
  ];
}
