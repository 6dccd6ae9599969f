import type { FoldedShards } from '#shared/messages/dirty.ts';
import type { PartsName } from '#shared/state/parts.ts';

/** The layout of a table of rows: its number of shards and its layout revision. */
export interface ShardLayout extends Omit<PartsName, 'pk'> {
  readonly shards: number;
}

function keyOf({ table = '', layoutRevision, shards }: ShardLayout): string {
  return `${table} ${layoutRevision} ${shards}`;
}

/**
 * The shards that the aggregation of a subject has folded since its messages were received, regardless of how often it starts
 * again. A part that was stored since then contains the changes of the messages. Every later part contains them too, because a
 * part is put only on the revision that was read before the rows.
 */
export class FoldProgress {
  readonly #isLate: () => boolean;
  readonly #folded = new Map<string, Set<number>>();
  #tables: FoldedShards[] = [];
  #last: string | undefined;
  #stopped = false;

  /** @param isLate whether the shards that are not folded yet are to be left to another message */
  constructor(isLate: () => boolean) {
    this.#isLate = isLate;
  }

  /** Starts an attempt, which reads the head again. */
  begin(): void {
    this.#tables = [];
  }

  hasFolded(layout: ShardLayout, shard: number): boolean {
    return this.#folded.get(keyOf(layout))?.has(shard) === true;
  }

  /** Records that the part of a shard was stored, under a revision that no other part of the shard has. */
  folded(layout: ShardLayout, shard: number, revision: number): void {
    const key = keyOf(layout);
    const shards = this.#folded.get(key) ?? new Set();
    this.#folded.set(key, shards.add(shard));
    this.#last = `${key} ${shard} ${revision}`;
  }

  /** Whether it is late and a part has been stored, which the next aggregation need not fold again. */
  get mustStop(): boolean {
    return this.#last !== undefined && this.#isLate();
  }

  /** Records that a table is folded, except for the shards in `left`. */
  leave({ table, layoutRevision, shards }: ShardLayout, left: readonly number[]): void {
    this.#tables.push({ ...(table === undefined ? {} : { table }), layoutRevision, shards, left });
    if (left.length > 0) this.#stopped = true;
  }

  /** The tables with their remaining shards, if any shards remain. */
  get rest(): readonly FoldedShards[] | undefined {
    return this.#stopped ? this.#tables : undefined;
  }

  /** Names the last part that was stored. */
  get last(): string {
    return this.#last ?? '';
  }
}

/** Whether a shard is to be folded according to the messages. If the messages name another layout, all shards are. */
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
