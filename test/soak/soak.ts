import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '#test/simulation/scheduler.ts';
import { type SoakClusters, startSoakClusters } from './clusters.ts';
import { type Comparison, compare } from './comparison.ts';
import { disturb } from './disturbances.ts';
import { Latency } from './latency.ts';
import { type Changes, runLoad } from './load.ts';
import type { Sample } from './memory.ts';
import { type Snapshot, sample, snapshotOf } from './sampling.ts';
import { System } from './system.ts';
import { Workloads } from './workloads.ts';

/** How a run is. */
export interface SoakOptions {
  readonly objects: number;
  readonly wecs: number;
  /** Changes a second. */
  readonly rate: number;
  /** Of the load, in milliseconds. */
  readonly milliseconds: number;
  /** Between two disturbances, in milliseconds. */
  readonly disturbEveryMs: number;
  readonly seed: number;
  /** For the files of the run. */
  readonly folder: string;
  /** Aborts: everything ends. */
  readonly signal: AbortSignal;
  /** Told what is being done. */
  readonly say: (text: string) => void;
}

/** How memory of one process went. */
export interface ProcessResult {
  readonly name: string;
  /** It was ended and started again on the way, so that it cannot show what it keeps for long. */
  readonly restarted: boolean;
  readonly samples: readonly Sample[];
  /** Bytes that the heap held after a full collection, before the load and after it. */
  readonly liveHeap: readonly [number, number];
  /** While the load ran. */
  readonly cpuSeconds: number;
  /** Events that the queue has accepted, since the start; `undefined`: it sends none over HTTP. */
  readonly events: number | undefined;
}

/** What a run has shown. */
export interface SoakResult {
  readonly processes: readonly ProcessResult[];
  readonly changes: Changes;
  readonly disturbances: number;
  readonly latency: Latency;
  readonly comparison: Comparison;
  readonly deadLetters: number;
  /** The stack's files before the load and after it. */
  readonly onDisk: readonly Awaited<ReturnType<System['onDisk']>>[];
  /** Seconds until the first comparison found no difference, and from the end of the load until the last one did. */
  readonly seconds: { readonly start: number; readonly end: number };
}

const LOOK_MS = 1_000;
const START_PATIENCE_MS = 600_000;
const END_PATIENCE_MS = 180_000;

/** Compares as soon as nothing waits any more, until there is no difference or the time is over. */
async function settled(
  { clusters, system }: { readonly clusters: SoakClusters; readonly system: System },
  patienceMs: number,
  signal: AbortSignal,
): Promise<Comparison> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const { waiting } = await system.backlog();
    const isLast = performance.now() >= end;
    if (waiting === 0 || isLast) {
      const comparison = await compare(clusters);
      if (comparison.differences.length === 0 || isLast) return comparison;
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

interface Running {
  readonly options: SoakOptions;
  readonly clusters: SoakClusters;
  readonly system: System;
  readonly workloads: Workloads;
  readonly latency: Latency;
  readonly random: Random;
}

/** The load with everything that goes on beside it; it ends early when a process has ended. */
async function underLoad({ options, clusters, system, workloads, latency, random }: Running) {
  const { milliseconds, rate, seed } = options;
  const sampling = new AbortController();
  const sampled = sample(system, sampling);
  const signal = AbortSignal.any([options.signal, sampling.signal]);
  const followed = latency.follow(clusters.wds.api, signal);
  try {
    const common = { milliseconds, signal };
    const [changes, disturbances] = await Promise.all([
      runLoad({ ...common, workloads, latency, random, rate }),
      disturb({
        ...{ ...common, clusters, system, everyMs: options.disturbEveryMs },
        random: new Random(seed + 1),
      }),
    ]);
    sampling.abort();
    return { changes, disturbances, samples: await sampled };
  } finally {
    sampling.abort();
    await Promise.allSettled([sampled, followed]);
  }
}

function processResults(
  { system }: Running,
  { samples, disturbances }: Awaited<ReturnType<typeof underLoad>>,
  { before, after }: { readonly before: Snapshot; readonly after: Snapshot },
): readonly Omit<ProcessResult, 'events'>[] {
  return system.processes().map(({ name }, index) => ({
    name,
    restarted: index === system.forwarders.length && disturbances > 1,
    samples: samples.get(name) ?? [],
    liveHeap: [before.heaps[index] ?? 0, after.heaps[index] ?? 0],
    cpuSeconds: (after.cpuSeconds[index] ?? 0) - (before.cpuSeconds[index] ?? 0),
  }));
}

/** Waits until everything has come up. */
async function comeUp({ options, clusters, system }: Running): Promise<number> {
  const began = performance.now();
  const comparison = await settled({ clusters, system }, START_PATIENCE_MS, options.signal);
  const { differences, objects, combinedStatuses } = comparison;
  if (differences.length > 0)
    throw new Error(
      `not everything came up within ${START_PATIENCE_MS / 1000} s: ${differences.slice(0, 3).join('\n')}`,
    );
  const seconds = (performance.now() - began) / 1000;
  options.say(
    `${objects} objects and ${combinedStatuses} CombinedStatuses after ${seconds.toFixed(0)} s`,
  );
  return seconds;
}

async function measure(running: Running): Promise<SoakResult> {
  const { options, clusters, system, latency } = running;
  const { say, signal } = options;
  const start = await comeUp(running);
  const before = await snapshotOf(system);
  const loaded = await underLoad(running);
  signal.throwIfAborted();
  say('the load is over; waiting until nothing waits any more');
  const began = performance.now();
  const comparison = await settled({ clusters, system }, END_PATIENCE_MS, signal);
  const end = (performance.now() - began) / 1000;
  const after = await snapshotOf(system);
  const sent = await Promise.all(system.forwarders.map((one) => one.sent()));
  const results = processResults(running, loaded, { before, after });
  const { changes, disturbances } = loaded;
  const { deadLetters } = await system.backlog();
  return {
    processes: results.map((result, index) => ({ ...result, events: sent[index - 1] })),
    ...{ changes, disturbances, latency, comparison, deadLetters },
    onDisk: [before.onDisk, after.onDisk],
    seconds: { start, end },
  };
}

/**
 * Runs clusters, stack and forwarders under a steady load.
 *
 * @throws Error when something does not start or come up, or a process ends; the reason of the signal when that aborts.
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const { folder, wecs, objects, seed, say, signal } = options;
  const kubeconfig = `${folder}/kubeconfig.yaml`;
  const clusters = await startSoakClusters(wecs, kubeconfig);
  try {
    const random = new Random(seed);
    const workloads = new Workloads(clusters, random, objects);
    await workloads.createAll();
    say(`${objects} workload objects in the WDS and ${wecs} WECs; starting stack and forwarders`);
    const names = clusters.wecs.map(({ name }) => name);
    const system = await System.start({ folder, kubeconfig, wecs: names });
    try {
      signal.throwIfAborted();
      const latency = new Latency();
      return await measure({ options, clusters, system, workloads, latency, random });
    } finally {
      await system.end();
    }
  } finally {
    await clusters.close();
  }
}
