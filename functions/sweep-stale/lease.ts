import type { ItemKey, ItemStore, PutCondition } from '#shared/ports/item-store.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import { sortableNumber } from '#shared/state/keys.ts';

/** What a lease needs of the world. */
export interface LeaseDeps {
  readonly store: Pick<ItemStore, 'get' | 'put'>;
  readonly telemetry: Pick<Telemetry, 'info' | 'warn'>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** What is done by one process at a time. */
export interface LeasedWork {
  /** Work of other names may go on at the same time. */
  readonly name: string;
  /** For how long the process that does it may live, in milliseconds: after that, another may begin. */
  readonly longestMs: number;
  readonly run: () => Promise<void>;
}

const PARTITION = 'LEASES';

/**
 * Takes a lease from now on: an item that has the time until which it holds for a version.
 *
 * @returns until when; `undefined` while another process has it
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
  const condition: PutCondition =
    before === undefined ? { type: 'absent' } : { type: 'unchanged', version: before };
  const version = sortableNumber(now + longestMs);
  const [isTaken] = await store.put([{ item: { ...key, version }, condition }]);
  return isTaken ? version : undefined;
}

/**
 * Does work unless it is being done: two invocations at once would tell the same twice, and what a slow one does would grow
 * with each minute that it takes. A process that is killed keeps its lease no longer than it may live.
 *
 * Not by a reserved concurrency of one: AWS refuses that where an account has its first quota of ten.
 *
 * @throws what the work or the store throws
 */
export async function underLease(deps: LeaseDeps, work: LeasedWork): Promise<void> {
  const { store, telemetry, clock } = deps;
  const { name, longestMs, run } = work;
  const key = { pk: PARTITION, sk: `sweep-stale/${name}` };
  const held = await take(deps, key, longestMs);
  if (held === undefined) {
    telemetry.info('left out: another invocation is still at it', { task: name });
    return;
  }
  try {
    await run();
  } finally {
    const item = { ...key, version: sortableNumber(clock()) };
    await store
      .put([{ item, condition: { type: 'unchanged', version: held } }])
      .catch((error: unknown) =>
        telemetry.warn('the lease could not be given back; it ends by itself', {
          task: name,
          reason: String(error),
        }),
      );
  }
}
