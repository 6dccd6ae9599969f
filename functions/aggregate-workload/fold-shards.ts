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

/** A table of rows in shards, and what is known of its parts. */
export interface ShardedTable<Part extends JsonValue> extends PartsName {
  /** Names, for each shard, what its part is folded with besides its rows. */
  readonly fingerprints: readonly string[];
  /** Whether rows of a shard have changed. */
  readonly isChanged: (shard: number) => boolean;
  readonly fold: Pick<Fold<never, Part, unknown>, 'empty' | 'merge'>;
  /** Reads the rows of a shard and folds them. */
  readonly foldShard: (shard: number) => Promise<Part>;
  readonly progress: FoldProgress;
}

/** The form of the parts that the folds make now: parts of another one are folded anew. */
const FORM = 3;

/** Two layouts of one layout revision, of which no head speaks yet, have parts under the same keys. */
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

/** The part of the shards whose stored parts count; and the others, those last that no item could hold. */
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
    // Who stored it folded with this fold.
    const part = stored?.fingerprint === fingerprint && isNew ? stored.part : undefined;
    if (part === undefined) outdated.push(shard);
    else all = fold.merge(all, part as Part);
  }
  outdated.sort((a, b) => Number(isTooLarge(parts.get(a))) - Number(isTooLarge(parts.get(b))));
  return { all, outdated };
}

/** Folds a shard and stores its part; `undefined` when others have stored one meanwhile. */
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
 * The part of all rows: of a large table from the stored parts and the shards that changed. The part of a single shard is
 * not stored. Where it is late, what is left is noted in the progress: at least one part has been stored then, so as many
 * aggregations as there are shards fold any table. What no item can hold is folded last, since that is no progress.
 *
 * @returns `undefined` when something is left, or others have stored a part meanwhile: start again.
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
