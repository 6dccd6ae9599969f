import { type Fold, foldRows } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { FoldedShards } from '#shared/messages/dirty.ts';
import {
  type FleetFamily,
  type FleetRow,
  type RowName,
  readFleetRows,
} from '#shared/state/fleet/fleet-rows.ts';
import type { FamilyLayout, Head } from '#shared/state/head.ts';
import { removePartsBefore } from '#shared/state/parts.ts';
import { shardHashes, shardOf } from '#shared/state/shards.ts';
import type { AggregateDeps } from '../deps.ts';
import { foldShards } from '../fold-shards.ts';
import { type FoldProgress, isLeft } from '../progress.ts';

/** A family of rows below a subject. */
interface Table {
  readonly pk: string;
  readonly family: FleetFamily;
  /** The head as it was read first. */
  readonly head: Head;
  /** How many rows there will be at least. */
  readonly expected?: number;
  /** Up to so many rows are folded in one shard; absent: as rows of clusters are. */
  readonly unsharded?: number;
}

/** Which rows of a subject have changed, and how far they have been folded. */
export interface ChangedRows {
  /** Names of the rows. */
  readonly rows: readonly RowName[];
  /** What earlier aggregations have left. */
  readonly rest: readonly FoldedShards[];
  readonly progress: FoldProgress;
}

/** A family of rows, and how it is folded. */
export interface Family<Row, Part extends JsonValue> extends Table {
  readonly changed: ChangedRows;
  readonly fold: Fold<Row, Part, unknown>;
  /** The rows to fold, of the stored ones of a shard. */
  readonly rowsOf: (
    stored: readonly FleetRow[],
    shard: Shard,
  ) => Iterable<Row> | Promise<Iterable<Row>>;
  /** Names what a shard is folded with besides its rows; not `''`. */
  readonly fingerprint: (shard: Shard) => string;
}

/** One of so many shards. */
export interface Shard {
  readonly shard: number;
  readonly shards: number;
}

/** The part of a family, and what the head is to keep of it. */
export interface FoldedFamily<Part> {
  readonly part: Part;
  readonly layout: FamilyLayout;
}

/** A table at the border between two numbers of shards is not divided anew with every change. */
const SLACK = 2;

function layoutFor(
  deps: AggregateDeps,
  { family, head, expected = 0, unsharded }: Table,
): FamilyLayout {
  const before = head.families?.[family];
  const rows = Math.max(before?.rows ?? 0, expected);
  const wanted = deps.shardCount(rows, unsharded);
  // Parts of another number of shards have missed changes: a layout revision that nobody has had, on this head.
  const fresh = { shards: wanted, layoutRevision: head.revision + 1, rows };
  if (before === undefined) return fresh;
  const { shards } = before;
  const isNear = wanted <= shards * SLACK && shards <= wanted * SLACK;
  return isNear && (shards === 1) === (wanted === 1) ? { ...before, rows } : fresh;
}

/**
 * The part of a family: of a large one from the stored parts, and from the rows of the shards that have changed.
 *
 * @returns `undefined` when something is left, or others have stored a part meanwhile: start again.
 */
export async function foldFamily<Row, Part extends JsonValue>(
  deps: AggregateDeps,
  what: Family<Row, Part>,
): Promise<FoldedFamily<Part> | undefined> {
  const { pk, family, fold } = what;
  const { shards, layoutRevision } = layoutFor(deps, what);
  const { rows: named, rest, progress } = what.changed;
  const own = named.filter((row) => row.family === family);
  const changed = new Set(own.map(({ id }) => shardOf(id, shards)));
  const isOfRest = isLeft(rest, { table: family, layoutRevision, shards });
  const counted = await foldShards<readonly [number, Part]>(deps.store, {
    pk,
    table: family,
    layoutRevision,
    fingerprints: Array.from(
      { length: shards },
      (_, shard) => `${deps.anew ?? ''}${what.fingerprint({ shard, shards })}`,
    ),
    isChanged: (shard) => changed.has(shard) || isOfRest(shard),
    progress,
    fold: {
      empty: [0, fold.empty],
      merge: ([a, partA], [b, partB]) => [a + b, fold.merge(partA, partB)],
    },
    foldShard: async (shard) => {
      const stored = await readFleetRows(deps.store, { pk, family }, shardHashes(shard, shards));
      const rows = [...(await what.rowsOf(stored, { shard, shards }))];
      return [rows.length, foldRows(fold, rows)];
    },
  });
  if (counted === undefined) return undefined;
  const [rows, part] = counted;
  return { part, layout: { shards, layoutRevision, rows } };
}

/** Removes what earlier eras of the families have left, once a head says so. */
export async function removeOldParts(
  deps: AggregateDeps,
  pk: string,
  { before, next }: { readonly before: Head; readonly next: Head },
): Promise<void> {
  for (const [table, { layoutRevision }] of Object.entries(next.families ?? {}))
    if (layoutRevision !== (before.families?.[table]?.layoutRevision ?? layoutRevision))
      await removePartsBefore(deps.store, { pk, table, layoutRevision });
}
