import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareText, mergeFirst } from '#shared/core/collector/first-entries.ts';
import { type Fold, foldRows } from '#shared/core/fold/fold.ts';
import { ShardedRows } from '#shared/core/fold/sharded-rows.ts';

interface Row {
  readonly name: string;
  readonly size: number;
}

type Part = { readonly [field: string]: number | readonly string[] } & {
  readonly sum: number;
  readonly names: readonly string[];
};

/** The sum of the sizes and all names: a row that is lost, or counted twice, shows. */
const SIZES: Fold<Row, Part, Part> = {
  empty: { sum: 0, names: [] },
  lift: ({ name, size }) => ({ sum: size, names: [name] }),
  merge: (a, b) => ({
    sum: a.sum + b.sum,
    names: mergeFirst(a.names, b.names, {
      limit: Number.POSITIVE_INFINITY,
      compare: compareText,
      combine: (name) => name,
    }),
  }),
  finish: (part) => part,
};

/** Counts the rows that are lifted. */
function watched(): { readonly fold: Fold<Row, Part, Part>; lifted: number } {
  const watch = {
    lifted: 0,
    fold: {
      ...SIZES,
      lift: (row: Row): Part => {
        watch.lifted += 1;
        return SIZES.lift(row);
      },
    },
  };
  return watch;
}

function rowsUpTo(count: number): readonly Row[] {
  return Array.from({ length: count }, (_, size) => ({ name: `row-${size}`, size }));
}

function filled(fold: Fold<Row, Part, Part>, count: number): ShardedRows<Row, Part> {
  const rows = new ShardedRows(fold);
  for (const row of rowsUpTo(count)) rows.set(row.name, row);
  return rows;
}

interface Step extends Row {
  readonly type: 'set' | 'delete' | 'ask';
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    // More sets than deletes, so that there come to be many.
    type: fc.constantFrom('set' as const, 'set', 'set', 'delete', 'ask'),
    name: fc.nat(120).map((number) => `row-${number}`),
    size: fc.nat(1000),
  }),
  { maxLength: 400, size: 'max' },
);

/** Sharded rows beside a plain map of the same rows. */
class Both {
  readonly #rows = new ShardedRows(SIZES);
  readonly #plain = new Map<string, Row>();

  take({ type, name, size }: Step): void {
    if (type === 'ask') this.check();
    else if (type === 'delete') {
      this.#rows.delete(name);
      this.#plain.delete(name);
    } else {
      this.#rows.set(name, { name, size });
      this.#plain.set(name, { name, size });
    }
  }

  check(): void {
    expect(this.#rows.part()).toEqual(foldRows(SIZES, this.#plain.values()));
    expect(this.#rows.size).toBe(this.#plain.size);
  }
}

describe('sharded rows', () => {
  it('fold to the part of no rows where there are none', () => {
    const rows = new ShardedRows(SIZES);
    expect(rows.part()).toEqual(SIZES.empty);
    expect(rows.size).toBe(0);
  });

  it('fold to what their rows fold to, after any sets and deletes, whenever they are asked', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const both = new Both();
        for (const step of all) both.take(step);
        both.check();
      }),
      { numRuns: 100 },
    );
  });

  it.each([1, 2, 3, 4, 16, 17, 100, 1000])(
    'lose none of %i rows when they shrink to none',
    (count) => {
      const rows = filled(SIZES, count);
      const left = new Map(rowsUpTo(count).map((row) => [row.name, row]));
      for (const { name } of rowsUpTo(count)) {
        rows.delete(name);
        left.delete(name);
        if (left.size % 7 === 0) expect(rows.part()).toEqual(foldRows(SIZES, left.values()));
      }
      expect(rows.size).toBe(0);
    },
  );

  it('do not change when a row is deleted that is not there', () => {
    const rows = filled(SIZES, 10);
    const before = rows.part();
    rows.delete('row-10');
    expect(rows.part()).toBe(before);
    expect(rows.size).toBe(10);
  });

  it('fold a few of many rows anew after a change of one, and none after no change', () => {
    const watch = watched();
    const rows = filled(watch.fold, 10_000);
    rows.part();
    expect(watch.lifted).toBe(10_000);
    rows.set('row-5000', { name: 'row-5000', size: 1 });
    rows.part();
    // A shard of about √10,000 rows.
    expect(watch.lifted - 10_000).toBeLessThan(400);
    const before = watch.lifted;
    rows.part();
    expect(watch.lifted).toBe(before);
  });

  it('fold a few rows anew also when most of them have gone', () => {
    const watch = watched();
    const rows = filled(watch.fold, 10_000);
    for (const { name } of rowsUpTo(9_900)) rows.delete(name);
    rows.part();
    watch.lifted = 0;
    rows.set('row-9950', { name: 'row-9950', size: 1 });
    rows.part();
    expect(watch.lifted).toBeGreaterThan(0);
    expect(watch.lifted).toBeLessThan(60);
  });

  it('are not divided anew at every step across a border', () => {
    const watch = watched();
    // With the 512th row there come to be twice as many shards.
    const rows = filled(watch.fold, 511);
    rows.part();
    watch.lifted = 0;
    for (let step = 0; step < 100; step += 1) {
      rows.set('one-more', { name: 'one-more', size: step });
      rows.part();
      rows.delete('one-more');
      rows.part();
    }
    expect(watch.lifted).toBeLessThan(20_000);
  });
});
