import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  type PartsName,
  putPart,
  readParts,
  type StoredPart,
  type StoredParts,
} from '#shared/state/parts.ts';
import type { FoldProgress } from './progress.ts';

/** A table of rows in shards, and the state of its parts. */
export interface ShardedTable<Part extends JsonValue> extends PartsName {
  /** For each shard, the fingerprint of the inputs of its part besides its rows. */
  readonly fingerprints: readonly string[];
  /** Whether rows of a shard have changed. */
  readonly isChanged: (shard: number) => boolean;
  readonly fold: Pick<Fold<never, Part, unknown>, 'empty' | 'merge'>;
  /** Reads the rows of a shard and folds them. */
  readonly foldShard: (shard: number) => Promise<Part>;
  readonly progress: FoldProgress;
}

/** The format of the parts that the current folds produce. Parts of another format are folded again. */
const FORM = 7;

/**
 * Adds the format and the number of shards to a fingerprint. Two layouts of one layout revision that no head names yet store
 * their parts under the same keys.
 */
function complete(fingerprint: string, shards: number): string {
  return `${FORM} ${shards} ${fingerprint}`;
}

/** A table whose parts have been read. */
interface ReadTable<Part extends JsonValue> extends Omit<ShardedTable<Part>, 'isChanged'> {
  readonly shards: number;
  readonly parts: StoredParts;
}

function isTooLarge(stored: StoredPart | undefined): boolean {
  return stored !== undefined && stored.part === undefined;
}

/**
 * The merged part of the shards whose stored parts count, and the other shards. Shards whose part was too large for an item
 * come last.
 */
function countStored<Part extends JsonValue>(
  table: ReadTable<Part>,
  isChanged: (shard: number) => boolean,
): { readonly all: Part; readonly outdated: readonly number[] } {
  const { fold, parts, progress } = table;
  let all = fold.empty;
  const outdated: number[] = [];
  for (const [shard, fingerprint] of table.fingerprints.entries()) {
    const stored = parts.get(shard);
    const isNew = !isChanged(shard) || progress.hasFolded(table, shard);
    // The process that stored the part used this fold.
    const part = stored?.fingerprint === fingerprint && isNew ? stored.part : undefined;
    if (part === undefined) outdated.push(shard);
    else all = fold.merge(all, part as Part);
  }
  outdated.sort((a, b) => Number(isTooLarge(parts.get(a))) - Number(isTooLarge(parts.get(b))));
  return { all, outdated };
}

/** Folds a shard and stores its part. Returns `undefined` if another process has stored a part meanwhile. */
async function foldAnew<Part extends JsonValue>(
  store: ItemStore,
  table: ReadTable<Part>,
  shard: number,
): Promise<Part | undefined> {
  const part = await table.foldShard(shard);
  const revision = table.parts.get(shard)?.revision ?? 0;
  const fingerprint = String(table.fingerprints[shard]);
  const put = await putPart(store, table, { shard, revision, fingerprint, part });
  if (put === 'outdated') return undefined;
  if (put === 'stored') table.progress.folded(table, shard, revision + 1);
  return part;
}

/**
 * Computes the part of all rows. The part of a large table comes from the stored parts and the shards that changed. The part of
 * a single shard is not stored. If the aggregation runs late, the progress records the remaining shards. At least one part has
 * been stored by then, so a table with N shards needs at most N aggregations. Parts that are too large for an item are folded
 * last, because they make no progress.
 *
 * @returns `undefined` if shards remain, or if another process has stored a part meanwhile. The caller starts again.
 */
export async function foldShards<Part extends JsonValue>(
  store: ItemStore,
  { isChanged, ...table }: ShardedTable<Part>,
): Promise<Part | undefined> {
  const { fold, progress } = table;
  const shards = table.fingerprints.length;
  if (shards === 1) {
    progress.leave({ ...table, shards }, []);
    return table.foldShard(0);
  }
  const fingerprints = table.fingerprints.map((one) => complete(one, shards));
  const read = { ...table, shards, fingerprints, parts: await readParts(store, table) };
  const { all, outdated } = countStored(read, isChanged);
  let merged = all;
  for (const [index, shard] of outdated.entries()) {
    if (progress.mustStop) {
      progress.leave(read, outdated.slice(index));
      return undefined;
    }
    const part = await foldAnew(store, read, shard);
    if (part === undefined) return undefined;
    merged = fold.merge(merged, part);
  }
  progress.leave(read, []);
  return merged;
}
