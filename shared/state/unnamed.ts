import type { ItemStore } from '#shared/ports/item-store.ts';
import { decodeHead, type Head } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';

/** If no Binding has named an object for this long, its rows are removed. A late message may name it until then. */
const UNNAMED_MS = 15 * 24 * 3600 * 1000;

/**
 * The time since when no Binding has named an object, for its next head. Only call it if no Binding names the object.
 *
 * @param nowMs milliseconds since 1970
 */
export function unnamedSince({ unnamedMs }: Head, nowMs: number): Pick<Head, 'unnamedMs'> {
  return { unnamedMs: unnamedMs ?? nowMs };
}

/** Whether no Binding has named an object for so long that its rows are removed. */
export function isLongUnnamed({ unnamedMs }: Head, nowMs: number): boolean {
  return unnamedMs !== undefined && unnamedMs + UNNAMED_MS <= nowMs;
}

/** Does the same for the objects of these partitions, in their order. */
export async function areLongUnnamed(
  store: ItemStore,
  partitions: readonly string[],
  nowMs: number,
): Promise<readonly boolean[]> {
  const heads = await store.get(partitions.map((pk) => ({ pk, sk: SORT.head })));
  return heads.map((head) => isLongUnnamed(decodeHead(head), nowMs));
}
