import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#test/simulation/scheduler.ts';
import type { SoakCluster, SoakClusters } from './clusters.ts';
import type { System } from './system.ts';

const CUT_MS = 500;

/** What goes wrong from time to time. */
export interface DisturbanceOptions {
  readonly clusters: SoakClusters;
  readonly system: System;
  readonly random: Random;
  readonly everyMs: number;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

type Disturbance = (options: DisturbanceOptions) => Promise<void>;

async function cut({ proxy }: SoakCluster): Promise<void> {
  await proxy.cut();
  await sleep(CUT_MS);
  await proxy.restore();
}

/** The last forwarder alone: the others show what they keep over a long time. */
async function restart({ system }: DisturbanceOptions, signal: NodeJS.Signals): Promise<void> {
  await system.forwarders.at(-1)?.restart(signal);
}

/** In this order, again and again, so that a short run has all of them. */
const DISTURBANCES: readonly Disturbance[] = [
  ({ clusters, random }) => cut(random.pick(clusters.wecs)),
  (options) => restart(options, 'SIGTERM'),
  async ({ clusters, random }) => {
    // Watches have to list anew.
    const wec = random.pick(clusters.wecs);
    wec.cluster.forgetHistory();
    await cut(wec);
  },
  ({ clusters }) => cut(clusters.wds),
  // Its Lease has to expire.
  (options) => restart(options, 'SIGKILL'),
];

/**
 * Breaks connections and forgets histories of clusters, and ends the last forwarder and starts it again, until the time is
 * over or the signal aborts.
 *
 * @returns how often something was done
 */
export async function disturb(options: DisturbanceOptions): Promise<number> {
  const { everyMs, milliseconds, signal } = options;
  const began = performance.now();
  for (let count = 0; ; count += 1) {
    const next = began + (count + 1) * everyMs - performance.now();
    if (signal.aborted || performance.now() - began + next > milliseconds - everyMs) return count;
    await sleep(Math.max(0, next), undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await DISTURBANCES[count % DISTURBANCES.length]?.(options);
  }
}
