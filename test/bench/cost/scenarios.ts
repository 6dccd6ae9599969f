import { contentHash } from '#shared/content-hash.ts';
import { quantile } from '#test/bench/figure.ts';
import type { Variant } from './deployment.ts';
import type { Bill } from './meter.ts';
import { MONTH_HOURS } from './prices.ts';
import { CostWorld, type WorldSize } from './world.ts';

const MINUTE_MS = 60_000;
/** As in infra/functions.yml. */
const COUNT_MINUTES = 5;
const MONTH_MINUTES = MONTH_HOURS * 60;

/** What a scenario was billed. */
export interface Outcome {
  readonly bill: Bill;
  /** Changes of a WEC's status in it. */
  readonly changes: number;
  /** From the first change to the end of what follows from the last, in seconds. */
  readonly seconds: number;
  /** Metrics that were published, with their dimensions. */
  readonly metrics: number;
  readonly storedBytes: number;
}

interface Change {
  readonly atMs: number;
  readonly workload: string;
  readonly wec: string;
}

/** A number from 0 to 1 that looks like chance and is the same in each run. */
function fraction(...about: readonly unknown[]): number {
  return Number.parseInt(contentHash(about.join(' ')).slice(0, 8), 16) / 2 ** 32;
}

/** Sleeps until so many milliseconds after now; not at all when they have passed. */
function alarmClock({ cloud: { clock } }: CostWorld): (ms: number) => Promise<void> {
  const began = clock.now();
  return async (ms) => {
    const left = began + ms - clock.now();
    if (left > 0) await clock.sleep(left);
  };
}

function outcomeOf(
  { cloud }: CostWorld,
  billed: Pick<Outcome, 'bill' | 'changes' | 'seconds'>,
): Outcome {
  return { ...billed, metrics: cloud.metrics.size, storedBytes: cloud.sizes.total() };
}

async function play(world: CostWorld, ms: number, changes: readonly Change[]): Promise<Outcome> {
  const until = alarmClock(world);
  const inOrder = changes.toSorted((a, b) => a.atMs - b.atMs);
  const bill = await world.live(ms, async () => {
    for (const { atMs, workload, wec } of inOrder) {
      await until(atMs);
      world.say(wec, workload);
    }
  });
  return outcomeOf(world, { bill, changes: changes.length, seconds: world.livedMs / 1000 });
}

async function inWorld<T>(size: WorldSize, run: (world: CostWorld) => Promise<T>): Promise<T> {
  const world = new CostWorld(size);
  try {
    await world.fill();
    return await run(world);
  } finally {
    world.close();
  }
}

/**
 * A rollout: each of 100 workloads changes on each of 100 WECs ten times a minute, evenly but for chance. Of the minute a
 * part is played.
 *
 * @param changesEach of the ten, how many: 10 is the whole minute
 */
export function rollout(changesEach: number, variant: Variant = {}): Promise<Outcome> {
  return inWorld({ workloads: 100, wecs: 100, variant }, (world) => {
    const every = MINUTE_MS / 10;
    const changes: Change[] = [];
    for (const workload of world.workloads)
      for (const wec of world.wecs)
        for (let turn = 0; turn < changesEach; turn += 1)
          changes.push({ atMs: (turn + fraction(workload, wec, turn)) * every, workload, wec });
    return play(world, changesEach * every, changes);
  });
}

/** One change for each of 100 workloads in each minute, on one of 100 WECs. */
export function trickle(minutes: number): Promise<Outcome> {
  return inWorld({ workloads: 100, wecs: 100 }, (world) => {
    const changes: Change[] = [];
    for (const workload of world.workloads)
      for (let minute = 0; minute < minutes; minute += 1) {
        const wec = world.wecs[Math.floor(fraction('wec', workload, minute) * world.wecs.length)];
        const atMs = (minute + fraction(workload, minute)) * MINUTE_MS;
        if (wec !== undefined) changes.push({ atMs, workload, wec });
      }
    return play(world, minutes * MINUTE_MS, changes);
  });
}

/** Reads of one event on a workload of so many WECs. */
export interface ReadsPerEvent {
  readonly wecs: number;
  /** Rows and parts, the most that an event read. */
  readonly items: number;
  /** Read units of everything that follows from the event, in the middle. */
  readonly units: number;
  /** USD for a million such events, the chain alone: without Lambda's polling. */
  readonly usdPerMillion: number;
}

const EVENTS = 9;

async function readsPerEvent(world: CostWorld): Promise<ReadsPerEvent> {
  const items: number[] = [];
  const units: number[] = [];
  const usd: number[] = [];
  for (let event = 0; event < EVENTS; event += 1) {
    world.cloud.reset();
    const wec = world.wecs[(event * 7919) % world.wecs.length];
    const [workload] = world.workloads;
    if (wec !== undefined && workload !== undefined) world.say(wec, workload);
    await world.settle();
    const bill = world.cloud.meter.bill();
    items.push(world.cloud.read.rows + world.cloud.read.parts);
    units.push(bill.amount('DynamoDB read units'));
    usd.push(bill.usd());
  }
  return {
    wecs: world.wecs.length,
    items: quantile(items, 1),
    units: quantile(units, 0.5),
    usdPerMillion: quantile(usd, 0.5) * 1_000_000,
  };
}

/**
 * One workload: what an event on it reads, and, where `burst` is set, a rollout in which every WEC changes once within a
 * minute.
 */
export function oneWorkload(
  wecs: number,
  burst: boolean,
): Promise<{ readonly reads: ReadsPerEvent; readonly outcome?: Outcome }> {
  return inWorld({ workloads: 1, wecs }, async (world) => {
    const reads = await readsPerEvent(world);
    if (!burst) return { reads };
    const changes = world.workloads.flatMap((workload) =>
      world.wecs.map((wec) => ({ atMs: fraction(wec) * MINUTE_MS, workload, wec })),
    );
    return { reads, outcome: await play(world, MINUTE_MS, changes) };
  });
}

/** A month in which so many workload objects are counted every 5 minutes; one count is played. */
export function counts(workloads: number): Promise<Outcome> {
  return inWorld({ workloads, wecs: 1 }, async (world) => {
    await world.count();
    const bill = world.cloud.meter.bill().times(MONTH_MINUTES / COUNT_MINUTES);
    return outcomeOf(world, { bill, changes: 0, seconds: 0 });
  });
}

/** An idle month: heartbeats of so many WECs, and the sweep each minute; a part of it is played. */
export function idle(wecs: number, heartbeatSeconds: number, minutes: number): Promise<Outcome> {
  return inWorld({ workloads: 1, wecs }, async (world) => {
    const bill = await world.live(minutes * MINUTE_MS, async () => {
      await Promise.all([
        beatEach(heartbeatSeconds * 1000, world, minutes * MINUTE_MS),
        sweepEachMinute(world, minutes),
      ]);
    });
    const month = bill.times(MONTH_MINUTES / minutes);
    return outcomeOf(world, { bill: month, changes: 0, seconds: minutes * 60 });
  });
}

async function beatEach(intervalMs: number, world: CostWorld, ms: number): Promise<void> {
  const beats = world.wecs
    .map((wec) => ({ wec, atMs: fraction('beat', wec) * intervalMs }))
    .toSorted((a, b) => a.atMs - b.atMs);
  const until = alarmClock(world);
  for (let turn = 0; turn * intervalMs < ms; turn += 1)
    for (const { wec, atMs } of beats) {
      await until(turn * intervalMs + atMs);
      world.beat(wec);
    }
}

async function sweepEachMinute(world: CostWorld, minutes: number): Promise<void> {
  const until = alarmClock(world);
  for (let minute = 0; minute < minutes; minute += 1) {
    await until(minute * MINUTE_MS);
    await world.sweep();
  }
}

/** The slope of a straight line through the logarithms: y grows as x to this power. */
export function exponentOf(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (index: 0 | 1): number =>
    logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const slope = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return slope / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
