import type { FoldedShards } from '#shared/messages/dirty.ts';
import type { PartsName } from '#shared/state/parts.ts';

/** A table of rows in so many shards, of a layout revision. */
export interface ShardLayout extends Omit<PartsName, 'pk'> {
  readonly shards: number;
}

function keyOf({ table = '', layoutRevision, shards }: ShardLayout): string {
  return `${table} ${layoutRevision} ${shards}`;
}

/**
 * What the aggregation of a subject has folded since its messages were received, however often it starts again. A part
 * that was stored since then has the changes that the messages tell of, and so has every later one, which is put only on
 * the revision that was read before the rows were.
 */
export class FoldProgress {
  readonly #isLate: () => boolean;
  readonly #folded = new Map<string, Set<number>>();
  #tables: FoldedShards[] = [];
  #last: string | undefined;
  #stopped = false;

  /** @param isLate whether what is not folded yet is to be left to another message */
  constructor(isLate: () => boolean) {
    this.#isLate = isLate;
  }

  /** An attempt starts, from the head on. */
  begin(): void {
    this.#tables = [];
  }

  hasFolded(layout: ShardLayout, shard: number): boolean {
    return this.#folded.get(keyOf(layout))?.has(shard) === true;
  }

  /** Notes that the part of a shard was stored, under a revision that no other part of the shard has. */
  folded(layout: ShardLayout, shard: number, revision: number): void {
    const key = keyOf(layout);
    const shards = this.#folded.get(key) ?? new Set();
    this.#folded.set(key, shards.add(shard));
    this.#last = `${key} ${shard} ${revision}`;
  }

  /** Whether it is late, and something has been stored that the next aggregation need not do again. */
  get mustStop(): boolean {
    return this.#last !== undefined && this.#isLate();
  }

  /** A table is folded, as far as these shards are not left. */
  leave({ table, layoutRevision, shards }: ShardLayout, left: readonly number[]): void {
    this.#tables.push({ ...(table === undefined ? {} : { table }), layoutRevision, shards, left });
    if (left.length > 0) this.#stopped = true;
  }

  /** What was folded and what is left, where something is left. */
  get rest(): readonly FoldedShards[] | undefined {
    return this.#stopped ? this.#tables : undefined;
  }

  /** Names the last part that was stored. */
  get last(): string {
    return this.#last ?? '';
  }
}

/** The shards that messages say are to be folded: in another layout than theirs all. */
export function isLeft(
  rest: readonly FoldedShards[],
  layout: ShardLayout,
): (shard: number) => boolean {
  const own = rest.filter(({ table }) => table === layout.table);
  if (
    own.some(
      ({ layoutRevision, shards }) =>
        layoutRevision !== layout.layoutRevision || shards !== layout.shards,
    )
  )
    return () => true;
  const left = new Set(own.flatMap((one) => one.left));
  return (shard) => left.has(shard);
}
