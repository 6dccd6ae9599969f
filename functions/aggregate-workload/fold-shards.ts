import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type PartsName, putPart, readParts } from '#shared/state/parts.ts';

/** A table of rows in shards, and what is known of its parts. */
export interface ShardedTable<Part extends JsonValue> extends PartsName {
  /** Names, for each shard, what its part is folded with besides its rows. */
  readonly fingerprints: readonly string[];
  /** Whether rows of a shard have changed. */
  readonly isChanged: (shard: number) => boolean;
  readonly fold: Pick<Fold<never, Part, unknown>, 'empty' | 'merge'>;
  /** Reads the rows of a shard and folds them. */
  readonly foldShard: (shard: number) => Promise<Part>;
}

/**
 * The part of all rows: of a large table from the stored parts and the shards that changed. The part of a single shard is
 * not stored.
 *
 * @returns `undefined` when others have stored a part meanwhile: start again.
 */
export async function foldShards<Part extends JsonValue>(
  store: ItemStore,
  table: ShardedTable<Part>,
): Promise<Part | undefined> {
  const { fingerprints, isChanged, fold, foldShard } = table;
  if (fingerprints.length === 1) return foldShard(0);
  const parts = await readParts(store, table);
  let all = fold.empty;
  for (const [shard, fingerprint] of fingerprints.entries()) {
    const stored = parts.get(shard);
    // Who stored it folded with this fold.
    let part = stored?.part as Part | undefined;
    if (part === undefined || isChanged(shard) || stored?.fingerprint !== fingerprint) {
      part = await foldShard(shard);
      const revision = stored?.revision ?? 0;
      if (!(await putPart(store, table, { shard, revision, fingerprint, part }))) return undefined;
    }
    all = fold.merge(all, part);
  }
  return all;
}
