import type { JsonValue } from '#shared/core/json.ts';
import { type Fold, foldRows } from './fold.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A number that spreads keys evenly (FNV-1a, 32 bits, of UTF-16 code units). */
function hashOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < key.length; index += 1)
    hash = Math.imul(hash ^ key.charCodeAt(index), FNV_PRIME);
  return hash >>> 0;
}

/** Fewer would save little time, and cost a part each. */
const ROWS_OF_SHARD = 8;

/** A power of two, so that a shard has about {@link ROWS_OF_SHARD} rows. */
function shardsFor(rows: number): number {
  return 2 ** Math.max(0, Math.round(Math.log2(Math.max(1, rows) / ROWS_OF_SHARD)));
}

/**
 * Rows and their part, in memory: after a change of one row the rows of its shard are folded anew, and of the parts of all
 * shards, which are merged in a tree, those that have changed (design, section 3).
 */
export class ShardedRows<Row, Part extends JsonValue> {
  readonly #fold: Fold<Row, Part, unknown>;
  #shards: Map<string, Row>[] = [new Map()];
  /** The node at index i is of the nodes at 2i and 2i + 1; the last half are the shards. `undefined`: to be folded. */
  #parts: (Part | undefined)[] = [undefined, undefined];
  #size = 0;

  constructor(fold: Fold<Row, Part, unknown>) {
    this.#fold = fold;
  }

  /** How many rows there are. */
  get size(): number {
    return this.#size;
  }

  #indexOf(key: string): number {
    // Their number is a power of two.
    return hashOf(key) & (this.#shards.length - 1);
  }

  #rowsAt(index: number): Map<string, Row> {
    // There is a shard for each index.
    return this.#shards[index] as Map<string, Row>;
  }

  /** Puts a row in the place of the one with the key, if there is one. */
  set(key: string, row: Row): void {
    const index = this.#indexOf(key);
    const rows = this.#rowsAt(index);
    if (!rows.has(key)) this.#size += 1;
    rows.set(key, row);
    this.#changed(index);
  }

  /** Removes the row with a key, if there is one. */
  delete(key: string): void {
    const index = this.#indexOf(key);
    if (!this.#rowsAt(index).delete(key)) return;
    this.#size -= 1;
    this.#changed(index);
  }

  #changed(index: number): void {
    for (let node = this.#shards.length + index; node > 0; node >>= 1)
      this.#parts[node] = undefined;
    const wanted = shardsFor(this.#size);
    // Twice as many or a quarter as many: not at every step across a border.
    if (wanted >= 2 * this.#shards.length || 4 * wanted <= this.#shards.length)
      this.#divide(wanted);
  }

  #divide(shards: number): void {
    const rows = this.#shards.flatMap((shard) => [...shard]);
    this.#shards = Array.from({ length: shards }, () => new Map());
    this.#parts = Array.from({ length: 2 * shards }, () => undefined);
    for (const [key, row] of rows) this.#rowsAt(this.#indexOf(key)).set(key, row);
  }

  /** The part of all rows. */
  part(): Part {
    return this.#partOf(1);
  }

  #partOf(node: number): Part {
    const known = this.#parts[node];
    if (known !== undefined) return known;
    const shards = this.#shards.length;
    const part =
      node >= shards
        ? foldRows(this.#fold, this.#rowsAt(node - shards).values())
        : this.#fold.merge(this.#partOf(2 * node), this.#partOf(2 * node + 1));
    this.#parts[node] = part;
    return part;
  }
}
