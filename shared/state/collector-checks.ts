import * as z from 'zod/mini';
import { CHECK_VERSION } from '#shared/core/collector/compiled-collector.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';

/** The outcome of the check of a StatusCollector's content. */
export interface CollectorCheck {
  /** The hash of the content that was checked. */
  readonly contentHash: string;
  /** The memory that it takes if compiled (`compiledBytes`). Absent if the collector is invalid. */
  readonly bytes?: number;
}

const CHECK = bodyCodec<CollectorCheck>(
  'check of a StatusCollector',
  looseObject({ contentHash: z.string(), bytes: z.exactOptional(z.number()) }),
);

/**
 * The key of the last check with the present rules. Releases with other rules have other keys, so they do not replace each
 * other's checks while both run.
 */
function keyOf(pk: string): ItemKey {
  return { pk, sk: `${RANGE.check}${CHECK_VERSION}` };
}

/**
 * Reads the last checks of StatusCollectors, in the order of their partitions; undefined if there is none. The caller compares
 * the hash with that of the present content.
 */
export async function readChecks(
  store: ItemStore,
  pks: readonly string[],
): Promise<readonly (CollectorCheck | undefined)[]> {
  if (pks.length === 0) return [];
  const items = await store.get(pks.map(keyOf));
  return items.map((item) => item && CHECK.decode(item));
}

/**
 * Stores checks. The last one of a collector stays, even if it is of older content: then the present content is checked again,
 * with the same outcome.
 */
export async function putChecks(
  store: ItemStore,
  checks: readonly (readonly [pk: string, check: CollectorCheck])[],
): Promise<void> {
  if (checks.length === 0) return;
  await store.put(
    checks.map(([pk, check]) => ({ item: { ...keyOf(pk), body: CHECK.encode(check) } })),
  );
}

function begunKey(pk: string): ItemKey {
  return { pk, sk: `${RANGE.check}begun` };
}

/**
 * Reads when the checks of StatusCollectors have begun that have not ended, in the order of their partitions, in milliseconds
 * since the epoch; undefined if there is none. The process that began it is at work, or has ended meanwhile. It does not matter
 * which content was checked.
 */
export async function readBegun(
  store: ItemStore,
  pks: readonly string[],
): Promise<readonly (number | undefined)[]> {
  if (pks.length === 0) return [];
  return (await store.get(pks.map(begunKey))).map((item) => item && Number(item.version));
}

/** Notes that checks begin. */
export async function putBegun(
  store: ItemStore,
  pks: readonly string[],
  nowMs: number,
): Promise<void> {
  const version = sortableNumber(nowMs);
  if (pks.length > 0) await store.put(pks.map((pk) => ({ item: { ...begunKey(pk), version } })));
}

/** Notes that checks have ended, after they were stored. */
export async function removeBegun(store: ItemStore, pks: readonly string[]): Promise<void> {
  if (pks.length > 0) await store.delete(pks.map((pk) => ({ key: begunKey(pk) })));
}

/**
 * Removes the checks of a deleted StatusCollector, also those of other releases. A check that another process stores meanwhile
 * stays. A check that is missing is made again, so the collector may already exist again.
 */
export async function removeChecks(store: ItemStore, pk: string): Promise<void> {
  for await (const items of pages(store, range(pk, RANGE.check)))
    if (items.length > 0) await store.delete(items.map(({ sk }) => ({ key: { pk, sk } })));
}
