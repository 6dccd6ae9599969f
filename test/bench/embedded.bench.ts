import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedWorld, startEmbeddedWorld, type WorldSize } from './embedded-world.ts';
import { type Figure, quantile, rounded } from './figure.ts';

/** Of the world that loads are run on. */
export const SIZE: WorldSize = { wecs: 8, workloads: 200 };
const TICK_MS = 4;
const P99_GOAL_MS = 500;
const P50_GOAL_MS = 50;
/** Changes a second. */
const RATE_GOAL = 2_000;
const CPU_GOAL_MS = 2;
const IDLE_GOAL_PERCENT = 0.5;
const IDLE_GOAL_MB = 120;
/** By then, the stack has given the memory of the loads back. */
const REST_MS = 25_000;
/** After this time, the stack has finished what follows from the last change. */
const CALM_MS = 3_000;
/** A load that is held leaves nothing behind for longer than this. */
const PATIENCE_MS = 15_000;

/** Changes that the WDS does not show yet, by workload in the order of their counters. */
export class Pending {
  readonly #since = new Map<number, { readonly counter: number; readonly at: number }[]>();
  /** Milliseconds from each change to its showing. */
  readonly latencies: number[] = [];
  size = 0;

  add(workload: number, counter: number, at: number): void {
    const changes = this.#since.get(workload) ?? [];
    this.#since.set(workload, changes);
    changes.push({ counter, at });
    this.size += 1;
  }

  shown(workload: number, counter: number): void {
    const changes = this.#since.get(workload) ?? [];
    const now = performance.now();
    for (let first = changes[0]; first && first.counter <= counter; first = changes[0]) {
      changes.shift();
      this.size -= 1;
      this.latencies.push(now - first.at);
    }
  }

  /** Counts those that are not shown as if they were shown now. */
  end(): void {
    const now = performance.now();
    for (const changes of this.#since.values())
      for (const { at } of changes) this.latencies.push(now - at);
  }

  clear(): void {
    this.#since.clear();
    this.latencies.length = 0;
    this.size = 0;
  }
}

/** How a load of constant rate went. */
export interface Run {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Shares of one core. */
  readonly stackCore: number;
  readonly loadCore: number;
  /** Milliseconds of CPU that the stack spent, until all was shown, for each change. */
  readonly cpuMs: number;
  /** Changes that the WDS did not show within the patience. */
  readonly lost: number;
}

/** Changes of the WECs' objects, at a rate. */
export class Load {
  readonly #world: EmbeddedWorld;
  readonly #pending: Pending;
  #counter = 1;

  constructor(world: EmbeddedWorld, pending: Pending) {
    this.#world = world;
    this.#pending = pending;
  }

  #change(at: number): void {
    this.#counter += 1;
    const workload = this.#counter % SIZE.workloads;
    const round = Math.floor(this.#counter / SIZE.workloads);
    // All WECs have the same part of the load, at any time.
    const wec = (this.#counter + round) % SIZE.wecs;
    this.#pending.add(workload, this.#counter, at);
    this.#world.change(workload, wec, this.#counter);
  }

  async #settle(patienceMs: number): Promise<void> {
    const began = performance.now();
    while (this.#pending.size > 0 && performance.now() - began < patienceMs) await sleep(10);
  }

  /** Returns when nothing is left of what follows from the changes so far. */
  async calm(): Promise<void> {
    while ((await this.#world.waiting()) > 0) await sleep(CALM_MS / 10);
    await sleep(CALM_MS);
  }

  /**
   * Open loop: a change is due when its time has come, however far behind the stack is; it waits from that time on.
   *
   * @param patienceMs how long after the last change the WDS may show the changes
   */
  async run(rate: number, seconds: number, patienceMs = PATIENCE_MS): Promise<Run> {
    this.#pending.clear();
    const [stackBefore, loadBefore] = [await this.#world.stackCpu(), process.cpuUsage()];
    const began = performance.now();
    const total = Math.round(rate * seconds);
    for (let done = 0; done < total; await sleep(TICK_MS)) {
      const due = Math.min(total, Math.floor(((performance.now() - began) * rate) / 1000));
      for (; done < due; done += 1) this.#change(began + ((done + 1) * 1000) / rate);
    }
    const elapsedUs = (performance.now() - began) * 1000;
    const { user, system } = process.cpuUsage(loadBefore);
    const stackCore = ((await this.#world.stackCpu()) - stackBefore) / elapsedUs;
    await this.#settle(patienceMs);
    const cpuMs = ((await this.#world.stackCpu()) - stackBefore) / 1000 / total;
    this.#pending.end();
    const { latencies, size } = this.#pending;
    return {
      rate,
      p50: quantile(latencies, 0.5),
      p99: quantile(latencies, 0.99),
      stackCore,
      loadCore: (user + system) / elapsedUs,
      cpuMs,
      lost: size,
    };
  }
}

function held({ p50, p99, lost }: Run): boolean {
  return lost === 0 && p50 <= P50_GOAL_MS && p99 <= P99_GOAL_MS;
}

const FASTER = [3_000, 4_000];
const SLOWER = [1_000, 750, 500, 350, 250, 150, 100];

/** Runs loads in this order until one is held, or until one is not. None begins with what is left of another. */
async function runUntil(
  load: Load,
  {
    rates,
    end,
    seconds,
  }: { readonly rates: readonly number[]; readonly end: boolean; readonly seconds: number },
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  for (const rate of rates) {
    await load.calm();
    const run = await load.run(rate, seconds);
    runs.push(run);
    if (held(run) === end) break;
  }
  return runs;
}

/** Faster and faster loads while they are held, or slower and slower ones until one is. */
async function searchHeld(load: Load, first: Run, seconds: number): Promise<readonly Run[]> {
  const isHeld = held(first);
  const rates = isHeld ? FASTER : SLOWER;
  return [first, ...(await runUntil(load, { rates, end: !isHeld, seconds }))];
}

function runText({ stackCore, loadCore, lost }: Run): string {
  const cores = `stack ${rounded(stackCore)} of a core, clusters and load ${rounded(loadCore)}`;
  return lost === 0 ? cores : `${cores}; ${lost} not shown in time`;
}

/** The share of one core that the stack uses while nothing changes, in percent, and its memory in megabytes. */
async function idleCosts(
  world: EmbeddedWorld,
  seconds: number,
): Promise<{ readonly percent: number; readonly megabytes: number }> {
  await sleep(REST_MS);
  const [cpuBefore, began] = [await world.stackCpu(), performance.now()];
  await sleep(seconds * 1000);
  const elapsedUs = (performance.now() - began) * 1000;
  const percent = (100 * ((await world.stackCpu()) - cpuBefore)) / elapsedUs;
  return { percent, megabytes: (await world.stackMemory()) / 1_000_000 };
}

/** @param cpuGoalMs if absent, the CPU of a change has no goal at this rate */
function latencies(section: string, run: Run, cpuGoalMs?: number): readonly Figure[] {
  const at = `at ${rounded(run.rate)} changes/s`;
  return [
    {
      section,
      what: `p50 ${at}`,
      value: run.p50,
      unit: 'ms',
      goal: { type: 'at most', value: P50_GOAL_MS },
      beside: runText(run),
    },
    {
      section,
      what: `p99 ${at}`,
      value: run.p99,
      unit: 'ms',
      goal: { type: 'at most', value: P99_GOAL_MS },
    },
    {
      section,
      what: `CPU of the stack for a change ${at}`,
      value: run.cpuMs,
      unit: 'ms',
      ...(cpuGoalMs === undefined ? {} : { goal: { type: 'at most', value: cpuGoalMs } as const }),
      beside:
        'all threads, idle time included; falls where a late stack merges changes, so no rate follows from it',
    },
  ];
}

function idle(
  section: string,
  { percent, megabytes }: Awaited<ReturnType<typeof idleCosts>>,
): readonly Figure[] {
  return [
    {
      section,
      what: 'CPU of the stack while nothing changes',
      value: percent,
      unit: '% of a core',
      goal: { type: 'at most', value: IDLE_GOAL_PERCENT },
      beside: 'all threads; heartbeats and sweeps included',
    },
    {
      section,
      what: 'memory of the stack while nothing changes',
      value: megabytes,
      unit: 'MB',
      goal: { type: 'at most', value: IDLE_GOAL_MB },
      beside: 'after the loads before it; with what the forwarders of all clusters hold',
    },
  ];
}

/** Times to run each load, in seconds. */
export interface EmbeddedTimes {
  readonly warmUp: number;
  readonly light: number;
  /** Two intervals of heartbeats and sweeps, so that their share is right. */
  readonly idle: number;
  /** Of each load that may be held. */
  readonly heavy: number;
}

/** Status changes from a WEC's API server to the WDS's, over HTTP, with the stack on a core of its own. */
export async function benchEmbedded(
  times: EmbeddedTimes = { warmUp: 5, light: 8, idle: 60, heavy: 60 },
): Promise<readonly Figure[]> {
  const section = `Embedded stack, ${SIZE.workloads} Deployments on ${SIZE.wecs} WECs, multi-WEC status; clusters and load in a second process`;
  const pending = new Pending();
  const world = await startEmbeddedWorld(SIZE, (workload, counter) =>
    pending.shown(workload, counter),
  );
  try {
    const load = new Load(world, pending);
    await load.run(300, times.warmUp);
    await load.calm();
    const light = await load.run(50, times.light);
    const calm = await idleCosts(world, times.idle);
    const heavy = await load.run(RATE_GOAL, times.heavy);
    const runs = await searchHeld(load, heavy, times.heavy);
    const rate = Math.max(0, ...runs.filter(held).map((run) => run.rate));
    return [
      {
        section,
        what: `highest rate held for ${times.heavy} s with p50 ≤ ${P50_GOAL_MS} ms and p99 ≤ ${P99_GOAL_MS} ms`,
        value: rate,
        unit: 'changes/s',
        goal: { type: 'at least', value: RATE_GOAL },
        beside: runs
          .map(
            ({ rate, p50, p99 }) =>
              `${rounded(rate)}/s: p50 ${rounded(p50)} ms, p99 ${rounded(p99)} ms`,
          )
          .join('; '),
      },
      ...latencies(section, light, CPU_GOAL_MS),
      ...idle(section, calm),
      ...latencies(section, heavy),
    ];
  } finally {
    await world.stop();
  }
}
