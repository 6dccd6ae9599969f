import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Fold, foldRows } from '#shared/core/fold/fold.ts';
import { type JsonValue, parseJson, stringifyJson } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';

/** What the laws are checked on. */
export interface FoldLawOptions<Row> {
  /** Names what a row is about where a table has at most one row about each, such as the name of its WEC. */
  readonly key?: (row: Row) => string;
  readonly numRuns?: number;
}

type FoldOrFolds<Row, Part extends JsonValue> =
  | Fold<Row, Part, unknown>
  | fc.Arbitrary<Fold<Row, Part, unknown>>;

/**
 * Registers a test for each law of {@link Fold}: call it in a `describe`.
 *
 * @param subject a fold, or an arbitrary of folds that all take the same rows
 * @param row an arbitrary row
 */
export function checkFoldLaws<Row, Part extends JsonValue>(
  subject: FoldOrFolds<Row, Part>,
  row: fc.Arbitrary<Row>,
  options: FoldLawOptions<Row> = {},
): void {
  const { key, numRuns = histories({ first: 25, all: 100 }) } = options;
  const folds = 'lift' in subject ? fc.constant(subject) : subject;
  const table =
    key === undefined
      ? fc.array(row, { maxLength: 24 })
      : fc.uniqueArray(row, { maxLength: 24, selector: key });
  const law = (
    name: string,
    check: (fold: Fold<Row, Part, unknown>, rows: Row[]) => void,
  ): void => {
    it(name, () => {
      fc.assert(fc.property(folds, table, check), { numRuns });
    });
  };

  law('one row folds to what it lifts to', (fold, rows) => {
    for (const one of rows)
      expect(stringifyJson(foldRows(fold, [one]))).toBe(stringifyJson(fold.lift(one)));
  });

  law('the part of no rows changes nothing on either side', (fold, rows) => {
    const part = foldRows(fold, rows);
    expect(stringifyJson(fold.merge(fold.empty, part))).toBe(stringifyJson(part));
    expect(stringifyJson(fold.merge(part, fold.empty))).toBe(stringifyJson(part));
  });

  law('merge is commutative', (fold, rows) => {
    const [a, b] = thirds(fold, rows);
    expect(stringifyJson(fold.merge(a, b))).toBe(stringifyJson(fold.merge(b, a)));
  });

  law('merge is associative', (fold, rows) => {
    const [a, b, c] = thirds(fold, rows);
    expect(stringifyJson(fold.merge(fold.merge(a, b), c))).toBe(
      stringifyJson(fold.merge(a, fold.merge(b, c))),
    );
  });

  law('merge changes neither of its arguments', (fold, rows) => {
    const [a, b] = thirds(fold, rows);
    const before = [stringifyJson(a), stringifyJson(b)];
    fold.finish(fold.merge(deepFreeze(a), deepFreeze(b)));
    expect([stringifyJson(a), stringifyJson(b)]).toEqual(before);
  });

  law('a part that was stored as JSON merges and finishes as it did in memory', (fold, rows) => {
    const [a, b] = thirds(fold, rows);
    const inMemory = fold.merge(a, b);
    const afterStorage = fold.merge(stored(a), stored(b));
    expect(stringifyJson(afterStorage)).toBe(stringifyJson(inMemory));
    expect(fold.finish(stored(afterStorage))).toEqual(fold.finish(stored(inMemory)));
  });

  it('any order and any sharding of the rows give the same bytes', () => {
    const shards = fc.array(fc.nat({ max: 5 }), { minLength: 24, maxLength: 24 });
    const cases = table.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }),
        shards,
      ),
    );
    fc.assert(
      fc.property(folds, cases, (fold, [rows, shuffled, shardOf]) => {
        const inShards = [0, 1, 2, 3, 4, 5].map((shard) =>
          shuffled.filter((_row, index) => shardOf[index] === shard),
        );
        const merged = inShards
          .map((shard) => foldRows(fold, shard))
          .reduce((all, part) => fold.merge(all, part), fold.empty);
        const oneByOne = rows.reduce((all, one) => fold.merge(all, fold.lift(one)), fold.empty);
        expect(stringifyJson(merged)).toBe(stringifyJson(oneByOne));
        expect(stringifyJson(foldRows(fold, shuffled))).toBe(stringifyJson(oneByOne));
        expect(fold.finish(merged)).toEqual(fold.finish(oneByOne));
      }),
      { numRuns },
    );
  });

  if (key !== undefined) checkRedelivery({ folds, row, key, numRuns });
}

interface Redelivery<Row, Part extends JsonValue> {
  readonly folds: fc.Arbitrary<Fold<Row, Part, unknown>>;
  readonly row: fc.Arbitrary<Row>;
  readonly key: (row: Row) => string;
  readonly numRuns: number;
}

function checkRedelivery<Row, Part extends JsonValue>(law: Redelivery<Row, Part>): void {
  const { folds, row, key, numRuns } = law;
  it('a row that is delivered again replaces its former self when its shard is folded again', () => {
    fc.assert(
      fc.property(folds, fc.array(row, { maxLength: 30 }), (fold, deliveries) => {
        const shards = [0, 1, 2].map(() => new Map<string, Row>());
        const parts = shards.map(() => fold.empty);
        for (const delivered of deliveries) {
          const index = key(delivered).length % shards.length;
          const shard = shards[index] ?? new Map<string, Row>();
          shard.set(key(delivered), delivered);
          parts[index] = foldRows(fold, shard.values());
        }
        const latest = new Map(deliveries.map((delivered) => [key(delivered), delivered]));
        const merged = parts.reduce((all, part) => fold.merge(all, part), fold.empty);
        expect(stringifyJson(merged)).toBe(stringifyJson(foldRows(fold, latest.values())));
      }),
      { numRuns },
    );
  });
}

function thirds<Row, Part extends JsonValue>(
  fold: Fold<Row, Part, unknown>,
  rows: readonly Row[],
): [Part, Part, Part] {
  const third = (remainder: number): Part =>
    foldRows(
      fold,
      rows.filter((_row, index) => index % 3 === remainder),
    );
  return [third(0), third(1), third(2)];
}

function stored<Part extends JsonValue>(part: Part): Part {
  // A part is plain JSON, so what comes back is what went in.
  return parseJson(stringifyJson(part)) as Part;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
