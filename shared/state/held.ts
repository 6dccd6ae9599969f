import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { compareAndPut, updateItem } from '#shared/state/compare-and-put.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** All entries share one partition. So a sweep finds them with one query, which finds nothing unless the state was lost. */
const PARTITION = 'HELD';

/** A first listing is recorded within seconds. Users are not notified of a shorter wait. */
const REPORTED_AFTER_MS = 60_000;

/** A Binding that Starfold leaves unchanged, because some sources have not reported everything. */
export interface Held {
  /** The partition of the Binding. */
  readonly pk: string;
  /** When it was first held, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Whether its status says so. */
  readonly reported: boolean;
}

function itemOf({ pk, sinceMs, reported }: Held): Item {
  return { pk: PARTITION, sk: pk, version: `${sortableNumber(sinceMs)}.${Number(reported)}` };
}

function heldOf({ sk, version = '' }: Item): Held {
  const [since, reported] = version.split('.');
  return { pk: sk, sinceMs: Number(since), reported: reported === '1' };
}

/** Whether it has been held for long enough to notify its users. */
export function isLongHeld({ sinceMs }: Held, nowMs: number): boolean {
  return nowMs - sinceMs >= REPORTED_AFTER_MS;
}

/** Stores that a Binding is held. If that is already known, returns since when. */
export async function noteHeld(store: ItemStore, pk: string, nowMs: number): Promise<Held> {
  const now: Held = { pk, sinceMs: nowMs, reported: false };
  const item = itemOf(now);
  return updateItem(store, item, (stored) =>
    stored === undefined ? { item, result: now } : { result: heldOf(stored) },
  );
}

/** Stores that the status of a Binding says that it is held. */
export async function markHeldReported(store: ItemStore, held: Held): Promise<void> {
  const { version = '' } = itemOf(held);
  await compareAndPut(store, itemOf({ ...held, reported: true }), version);
}

/** Reads all Bindings that are stored as held. Strongly consistent. */
export async function readHeld(store: ItemStore): Promise<readonly Held[]> {
  const found: Held[] = [];
  for await (const items of pages(store, { pk: PARTITION })) found.push(...items.map(heldOf));
  return found;
}

/** Removes Bindings that are no longer held. */
export async function forgetHeld(store: ItemStore, over: readonly Held[]): Promise<void> {
  if (over.length > 0)
    await store.delete(over.map(({ pk }) => ({ key: { pk: PARTITION, sk: pk } })));
}
