import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#test/simulation/scheduler.ts';
import type { Latency } from './latency.ts';
import type { Workloads } from './workloads.ts';

const TICK_MS = 20;
/** Of all changes; the rest are statuses. */
const SHARES = { copy: 0.02, spec: 0.005, workload: 0.005 };

/** How many changes of each kind were made. */
export interface Changes {
  statuses: number;
  copies: number;
  specs: number;
  workloads: number;
}

/** What happens at a steady rate in all clusters. */
export interface LoadOptions {
  readonly workloads: Workloads;
  readonly latency: Latency;
  readonly random: Random;
  /** Changes a second. */
  readonly rate: number;
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

async function change({ workloads, latency, random }: LoadOptions, changes: Changes) {
  const dice = random.next();
  if (dice < SHARES.copy) {
    changes.copies += 1;
    latency.forget(workloads.toggleCopy());
  } else if (dice < SHARES.copy + SHARES.spec) {
    changes.specs += 1;
    latency.forget(await workloads.changeSpec());
  } else if (dice < SHARES.copy + SHARES.spec + SHARES.workload) {
    changes.workloads += 1;
    latency.forget(await workloads.toggle());
  } else {
    const reported = workloads.changeStatus();
    if (reported === undefined) return;
    changes.statuses += 1;
    latency.changed(reported.index, reported.counter);
  }
}

/** Makes changes until the time is over or the signal aborts; a machine that cannot keep up makes fewer. */
export async function runLoad(options: LoadOptions): Promise<Changes> {
  const { rate, milliseconds, signal } = options;
  const changes: Changes = { statuses: 0, copies: 0, specs: 0, workloads: 0 };
  const began = performance.now();
  const elapsed = (): number => performance.now() - began;
  for (let done = 0; elapsed() < milliseconds && !signal.aborted; await sleep(TICK_MS)) {
    const due = Math.floor((Math.min(elapsed(), milliseconds) * rate) / 1000);
    for (; done < due && !signal.aborted; done += 1) await change(options, changes);
  }
  return changes;
}
