import type { ItemStore } from '#shared/ports/item-store.ts';
import { decodeHead, type Head } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';

/** Rows of an object that no Binding has named for so long go: as long as a late message may name it. */
const UNNAMED_MS = 15 * 24 * 3600 * 1000;

/**
 * Since when no Binding names an object that none names, for its next head.
 *
 * @param nowMs milliseconds since 1970
 */
export function unnamedSince({ unnamedMs }: Head, nowMs: number): Pick<Head, 'unnamedMs'> {
  return { unnamedMs: unnamedMs ?? nowMs };
}

/** Whether no Binding has named an object for so long that its rows go. */
export function isLongUnnamed({ unnamedMs }: Head, nowMs: number): boolean {
  return unnamedMs !== undefined && unnamedMs + UNNAMED_MS <= nowMs;
}

/** The same of the objects of these partitions, in their order. */
export async function areLongUnnamed(
  store: ItemStore,
  partitions: readonly string[],
  nowMs: number,
): Promise<readonly boolean[]> {
  const heads = await store.get(partitions.map((pk) => ({ pk, sk: SORT.head })));
  return heads.map((head) => isLongUnnamed(decodeHead(head), nowMs));
}
