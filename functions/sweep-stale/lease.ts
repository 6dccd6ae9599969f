import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import { compareAndPut } from '#shared/state/compare-and-put.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { ALREADY_RUNNING, LEASE_STAYS } from './log-messages.ts';

/** What a lease needs from outside. */
export interface LeaseDeps {
  readonly store: Pick<ItemStore, 'get' | 'put'>;
  readonly telemetry: Pick<Telemetry, 'info' | 'warn'>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Work that only one process does at a time. */
export interface LeasedWork {
  /** Work with different names may run at the same time. */
  readonly name: string;
  /** The maximum lifetime of the process, in milliseconds. After that, another process may begin. */
  readonly longestMs: number;
  readonly run: () => Promise<void>;
}

const PARTITION = 'LEASES';

/**
 * Takes a lease: an item whose version is the time at which the lease ends.
 *
 * @returns that time; undefined if another process has the lease
 */
async function take(
  { store, clock }: LeaseDeps,
  key: ItemKey,
  longestMs: number,
): Promise<string | undefined> {
  const [held] = await store.get([key]);
  const now = clock();
  const before = held?.version;
  if (before !== undefined && before > sortableNumber(now)) return undefined;
  const version = sortableNumber(now + longestMs);
  const isTaken = await compareAndPut(store, { ...key, version }, before ?? '');
  return isTaken ? version : undefined;
}

/**
 * Runs work unless another process runs it. Two concurrent invocations would notify the same subjects twice, and a slow one
 * would be overtaken by another every minute. If a process is killed, its lease ends at the latest when its lifetime would have
 * ended.
 *
 * A reserved concurrency of one cannot be used instead: AWS rejects it for an account with the initial quota of ten.
 *
 * @throws the errors of the work and of the store
 */
export async function underLease(deps: LeaseDeps, work: LeasedWork): Promise<void> {
  const { store, telemetry, clock } = deps;
  const { name, longestMs, run } = work;
  const key = { pk: PARTITION, sk: `sweep-stale/${name}` };
  const held = await take(deps, key, longestMs);
  if (held === undefined) {
    telemetry.info(ALREADY_RUNNING, { task: name });
    return;
  }
  try {
    await run();
  } finally {
    await compareAndPut(store, { ...key, version: sortableNumber(clock()) }, held).catch(
      (error: unknown) =>
        telemetry.warn(LEASE_STAYS, {
          task: name,
          reason: String(error),
        }),
    );
  }
}
