import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample } from './memory.ts';
import type { System } from './system.ts';

const SAMPLE_MS = 3_000;

/** How the system stands when nothing waits. */
export interface Snapshot {
  /** What the heap of each process holds after a full collection, in bytes. */
  readonly heaps: readonly number[];
  /** Of each process, since its first start. */
  readonly cpuSeconds: readonly number[];
  /** The stack's files. */
  readonly onDisk: Awaited<ReturnType<System['onDisk']>>;
}

/** Looks at every process once. */
export async function snapshotOf(system: System): Promise<Snapshot> {
  const { stack, forwarders } = system;
  const [{ cpuSeconds }, ...others] = await Promise.all([
    stack.usage(),
    ...forwarders.map(({ process }) => process.usage()),
  ]);
  const own = others.map((usage, index) => usage.cpuSeconds + (forwarders[index]?.cpuBefore ?? 0));
  const heaps = await Promise.all(system.processes().map((process) => process.liveHeap()));
  return { heaps, cpuSeconds: [cpuSeconds, ...own], onDisk: await system.onDisk() };
}

/**
 * Samples every process until the signal aborts. It aborts it itself when one has ended that nobody ends.
 *
 * @returns by the process's name
 */
export async function sample(
  system: System,
  sampling: AbortController,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const began = performance.now();
  const { signal } = sampling;
  const samples = new Map(system.processes().map(({ name }) => [name, [] as Sample[]]));
  while (!signal.aborted) {
    for (const process of system.processes()) {
      const at = performance.now() - began;
      // The last one may be starting again, and is looked at the next time.
      const usage = await process.usage().catch(() => undefined);
      if (usage !== undefined) samples.get(process.name)?.push({ ...usage, at });
    }
    if (system.processes().some(({ isAlive }, index, all) => !isAlive && index < all.length - 1))
      sampling.abort();
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => undefined);
  }
  return samples;
}
