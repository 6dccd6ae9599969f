import { stat } from 'node:fs/promises';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import { cpuMs } from './cpu.ts';
import { quantile } from './figure.ts';
import { changeCollector, fill, namesOf, returned } from './filled-world.ts';
import { measureRate, type RateMeasured } from './scale-rate.ts';
import { drain, openUseCaseWorld, type Statement, type UseCaseWorld } from './use-case-world.ts';

const CHANGES = 1_000;
const WARM_UP = 50;
/** A prime, so that the changes do not follow the order of the rows. */
const STRIDE = 7_919;
/** The messages that are received together, as a poller does. */
const BATCH = 10;

/** How many workload objects there are, each on all of these WECs. */
export interface RowCount {
  readonly workloads: number;
  readonly wecs: number;
}

/** What a table of so many rows costs. */
export interface RowsMeasured extends RowCount {
  /** Milliseconds of CPU for one row, from its event to the first aggregation. */
  readonly loadMs: number;
  readonly loadSeconds: number;
  readonly fileBytes: number;
  readonly memoryBytes: number;
  /** Milliseconds from one event to the messages for the writer, while nothing else happens. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of CPU for it, on average. */
  readonly cpu: number;
  /** Rows and parts that the aggregation of one change reads, at most. Recording is not included. */
  readonly read: number;
}

/** Receives what is dirty once, and aggregates it. Returns the number of messages. */
async function aggregateOnce({ deps, dirty }: UseCaseWorld): Promise<number> {
  const received = await dirty.receive({ max: BATCH, waitSeconds: 0 });
  const groups = [...Map.groupBy(received, ({ group }) => group).values()];
  const messages = groups.map((group) => group.map(({ body }) => parseDirty(body)));
  for (const group of messages) await handleDirty(deps, group);
  await dirty.delete(received.map(({ receiptHandle }) => receiptHandle));
  return received.length;
}

class Changes {
  readonly #world: UseCaseWorld;
  readonly #workloads: readonly string[];
  readonly #wecs: readonly string[];
  #turn = 0;

  constructor(world: UseCaseWorld, workloads: readonly string[], wecs: readonly string[]) {
    this.#world = world;
    this.#workloads = workloads;
    this.#wecs = wecs;
  }

  /** Records changes of so many rows together, as an invocation does. Returns the names of their workload objects. */
  async record(count: number): Promise<readonly string[]> {
    const changes = Array.from({ length: count }, () => this.#next());
    await this.#world.recordAll(changes.map(({ statement }) => statement));
    return changes.map(({ workload }) => workload);
  }

  #next(): { readonly workload: string; readonly statement: Statement } {
    this.#turn += 1;
    const row = (this.#turn * STRIDE) % (this.#workloads.length * this.#wecs.length);
    const workload = this.#workloads[row % this.#workloads.length] ?? '';
    const wec = this.#wecs[Math.floor(row / this.#workloads.length)] ?? '';
    const more = { unavailableReplicas: this.#turn % 97 };
    const content = returned(workload, this.#turn % 5, { more, first: false });
    return { workload, statement: [{ type: 'wec', name: wec }, content] };
  }
}

async function changeCosts(
  world: UseCaseWorld,
  changes: Changes,
): Promise<Pick<RowsMeasured, 'p50' | 'p99' | 'cpu' | 'read'>> {
  const costs: number[] = [];
  let [read, cpu] = [0, 0];
  for (let turn = 0; turn < WARM_UP + CHANGES; turn += 1) {
    const [began, cpuBefore] = [performance.now(), cpuMs()];
    await changes.record(1);
    world.store.reset();
    while ((await aggregateOnce(world)) > 0);
    const [spent, spentCpu] = [performance.now() - began, cpuMs() - cpuBefore];
    await drain(world.hints, async () => undefined);
    if (turn < WARM_UP) continue;
    costs.push(spent);
    cpu += spentCpu / CHANGES;
    read = Math.max(read, world.store.rows + world.store.parts);
  }
  return { p50: quantile(costs, 0.5), p99: quantile(costs, 0.99), cpu, read };
}

/**
 * Loads a table through the real handlers into a SQLite file, and changes rows one at a time.
 *
 * @param withRate whether 1,000 changes/s follow
 */
export async function measureRows(
  file: string,
  count: RowCount,
  withRate = false,
): Promise<{ readonly rows: RowsMeasured; readonly rate?: RateMeasured }> {
  const { world, close } = openUseCaseWorld(file);
  const [workloads, wecs] = [namesOf('web', count.workloads), namesOf('wec', count.wecs)];
  const [began, cpuBefore] = [performance.now(), cpuMs()];
  await fill(world, workloads, wecs);
  const loadSeconds = (performance.now() - began) / 1_000;
  const loadMs = (cpuMs() - cpuBefore) / (count.workloads * count.wecs);
  const changes = new Changes(world, workloads, wecs);
  const costs = await changeCosts(world, changes);
  const memoryBytes = process.memoryUsage.rss();
  const rate = withRate ? await measureRate({ file, world, changes }) : undefined;
  await close();
  const { size: fileBytes } = await stat(file);
  const rows = { ...count, ...costs, loadMs, loadSeconds, fileBytes, memoryBytes };
  return rate === undefined ? { rows } : { rows, rate };
}

/** One workload object on many WECs: CPU milliseconds of one event, and of a changed StatusCollector with its longest step. */
export async function measureLargeWorkload(file: string, wecCount: number) {
  const { world, close } = openUseCaseWorld(file);
  const wecs = namesOf('wec', wecCount);
  await fill(world, ['web'], wecs);
  const { cpu } = await changeCosts(world, new Changes(world, ['web'], wecs));
  await changeCollector(world, 19);
  const began = cpuMs();
  let [steps, longest] = [0, 0];
  for (;;) {
    const before = cpuMs();
    const received = await world.dirty.receive({ max: 1, waitSeconds: 0 });
    if (received.length === 0) break;
    await handleDirty(
      world.deps,
      received.map(({ body }) => parseDirty(body)),
    );
    await world.dirty.delete(received.map(({ receiptHandle }) => receiptHandle));
    steps += 1;
    longest = Math.max(longest, cpuMs() - before);
  }
  const collectorMs = cpuMs() - began;
  await close();
  return { wecs: wecCount, eventMs: cpu, collectorMs, steps, longest };
}
