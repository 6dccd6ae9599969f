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
import type { AggregateDeps } from './deps.ts';
import { foldShards } from './fold-shards.ts';
import { type FoldProgress, isLeft } from './progress.ts';

/** A family of rows below a subject. */
interface StoredFamily {
  readonly pk: string;
  readonly family: FleetFamily;
  /** The head as it was read first. */
  readonly head: Head;
  /** The minimum number of rows to expect. */
  readonly expected?: number;
  /** The maximum number of rows that are folded in one shard. Absent: the same as for rows of clusters. */
  readonly unsharded?: number;
}

/** The changed rows of a subject, and the progress of their fold. */
export interface ChangedRows {
  /** Names of the rows. */
  readonly rows: readonly RowName[];
  /** The shards that earlier aggregations have left. */
  readonly rest: readonly FoldedShards[];
  readonly progress: FoldProgress;
}

/** A family of rows, and how it is folded. */
export interface Family<Row, Part extends JsonValue> extends StoredFamily {
  readonly changed: ChangedRows;
  readonly fold: Fold<Row, Part, unknown>;
  /** Converts the stored rows of a shard to the rows to fold. */
  readonly rowsOf: (
    stored: readonly FleetRow[],
    shard: Shard,
  ) => Iterable<Row> | Promise<Iterable<Row>>;
  /** The fingerprint of the inputs of a shard besides its rows. Not `''`. */
  readonly fingerprint: (shard: Shard) => string;
}

/** A shard, and the number of shards. */
export interface Shard {
  readonly shard: number;
  readonly shards: number;
}

/** The part of a family, and the layout that the head keeps. */
export interface FoldedFamily<Part> {
  readonly part: Part;
  readonly layout: FamilyLayout;
}

/** Hysteresis: a family whose size is near the boundary of two shard counts is not resharded with every change. */
const SLACK = 2;

function layoutFor(
  deps: AggregateDeps,
  { family, head, expected = 0, unsharded }: StoredFamily,
): FamilyLayout {
  const before = head.families?.[family];
  const rows = Math.max(before?.rows ?? 0, expected);
  const wanted = deps.shardCount(rows, unsharded);
  // Parts that were stored earlier for this number of shards may be out of date. A new layout revision keeps them from being
  // read.
  const fresh = { shards: wanted, layoutRevision: head.revision + 1, rows };
  if (before === undefined) return fresh;
  const { shards } = before;
  const isNear = wanted <= shards * SLACK && shards <= wanted * SLACK;
  return isNear && (shards === 1) === (wanted === 1) ? { ...before, rows } : fresh;
}

/**
 * Computes the part of a family. The part of a large family comes from the stored parts and from the rows of the shards that
 * have changed.
 *
 * @returns `undefined` if shards remain, or if another process has stored a part meanwhile. The caller starts again.
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

/** Removes the parts of earlier layout revisions after a head with a later one was put. */
export async function removeOldParts(
  deps: AggregateDeps,
  pk: string,
  { before, next }: { readonly before: Head; readonly next: Head },
): Promise<void> {
  for (const [family, { layoutRevision }] of Object.entries(next.families ?? {}))
    if (layoutRevision !== (before.families?.[family]?.layoutRevision ?? layoutRevision))
      await removePartsBefore(deps.store, { pk, table: family, layoutRevision });
}
