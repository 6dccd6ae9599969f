import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';

/** One partition for all: a sweep finds them by one query, which finds nothing while no state was lost. */
const PARTITION = 'HELD';

/** A first listing is recorded within seconds: nobody is told of a wait that is shorter. */
const TOLD_AFTER_MS = 60_000;

/** That what stands of a Binding is left as it is, because sources have still to tell everything. */
export interface Held {
  /** Partition of the Binding. */
  readonly pk: string;
  /** When it was first left, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Whether its status says so. */
  readonly told: boolean;
}

function itemOf({ pk, sinceMs, told }: Held): Item {
  return { pk: PARTITION, sk: pk, version: `${sortableNumber(sinceMs)}.${Number(told)}` };
}

function heldOf({ sk, version = '' }: Item): Held {
  const [since, told] = version.split('.');
  return { pk: sk, sinceMs: Number(since), told: told === '1' };
}

/** Whether it has been held for so long that its users are told. */
export function isLongHeld({ sinceMs }: Held, nowMs: number): boolean {
  return nowMs - sinceMs >= TOLD_AFTER_MS;
}

/** Notes that a Binding is held, from now on where that is not known yet. */
export async function noteHeld(store: ItemStore, pk: string, nowMs: number): Promise<Held> {
  const now: Held = { pk, sinceMs: nowMs, told: false };
  const item = itemOf(now);
  const [known] = await store.get([item]);
  if (known !== undefined) return heldOf(known);
  await store.put([{ item, condition: { type: 'absent' } }]);
  return now;
}

/** Notes that the status of a Binding says that it is held. */
export async function markHeldTold(store: ItemStore, held: Held): Promise<void> {
  const { version = '' } = itemOf(held);
  const item = itemOf({ ...held, told: true });
  await store.put([{ item, condition: { type: 'unchanged', version } }]);
}

/** Every Binding of which it was noted that it is held. Strongly consistent. */
export async function readHeld(store: ItemStore): Promise<readonly Held[]> {
  const found: Held[] = [];
  for await (const items of pages(store, { pk: PARTITION })) found.push(...items.map(heldOf));
  return found;
}

/** Bindings are held no more. */
export async function forgetHeld(store: ItemStore, over: readonly Held[]): Promise<void> {
  if (over.length > 0)
    await store.delete(over.map(({ pk }) => ({ key: { pk: PARTITION, sk: pk } })));
}
