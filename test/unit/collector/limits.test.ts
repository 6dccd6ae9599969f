import { describe, expect, it } from 'vitest';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import type { CollectorResult } from '#shared/core/collector/collector-result.ts';
import { combinedStatus } from '#shared/core/collector/combined-status.ts';
import type { CollectorRow, CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import {
  expensiveCollector,
  largeKey,
  largeRows,
  longList,
  manyColumns,
  notEvaluated,
} from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { Budget, Evaluation, Program } from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import {
  MAX_CELL_BYTES,
  MAX_COLLECTOR_STEPS,
  MAX_COMBINED_STATUS_BYTES,
} from '#shared/core/limits.ts';

function program(run: (returned: JsonObject, budget: Budget) => Evaluation): Program {
  return {
    text: 'test',
    type: 'dyn',
    variables: new Set(),
    facts: new Set(),
    leastSteps: { value: 0, failure: 0 },
    patternsSize: 0,
    bytes: 0,
    evaluate: ({ returned }, budget) => run(returned, budget),
  };
}

/** The text that a WEC has returned. */
const TEXT = program(({ text = '' }) => ({
  ok: true,
  value: { type: 'string', value: String(text) },
}));

function row(wec: string, returned: JsonObject = {}): CollectorRow {
  return { wec, activation: { inventory: { name: wec }, obj: {}, returned, propagation: {} } };
}

function selecting(program: Program, limit = 20): CompiledCollector {
  return { kind: 'select', columns: [{ name: 'c', program }], limit };
}

function counting(program: Program, limit = 20): CompiledCollector {
  return {
    kind: 'aggregate',
    groupBy: [{ name: 'k', program }],
    combinedFields: [{ name: 'n', type: 'COUNT' }],
    limit,
  };
}

function resultOf(collector: CompiledCollector, rows: readonly CollectorRow[]): CollectorResult {
  const fold = collectorFold(collector);
  return fold.finish(foldRows(fold, rows));
}

function texts(count: number, bytes: number): readonly CollectorRow[] {
  return Array.from({ length: count }, (_row, index) =>
    row(`wec${String(index).padStart(5, '0')}`, { text: `${index}`.padEnd(bytes, '.') }),
  );
}

describe('a cell', () => {
  it('of exactly as many bytes as a cell may take is kept', () => {
    const bytes = MAX_CELL_BYTES - jsonBytes({ type: 'String', string: '' });
    const { rows, rowErrors } = resultOf(selecting(TEXT), texts(1, bytes));
    expect(rowErrors).toEqual([]);
    expect(jsonBytes(rows[0]?.[0])).toBe(MAX_CELL_BYTES);
  });

  it('that takes more is Null, and an error of its column for this WEC alone', () => {
    const { rows, rowErrors, failure } = resultOf(selecting(TEXT), [
      row('a', { text: 'x'.repeat(MAX_CELL_BYTES) }),
      row('b', { text: 'short' }),
    ]);
    expect(rows).toEqual([[{ type: 'Null' }], [{ type: 'String', string: 'short' }]]);
    expect(rowErrors).toEqual([
      { wec: 'a', columnName: 'c', error: expect.stringContaining('more than 262144 bytes') },
    ]);
    expect(failure).toBeUndefined();
  });

  it('that refers to one value 2^60 times is counted as it would be written', () => {
    let value: JsonValue = 'x';
    for (let level = 0; level < 60; level += 1) value = [value, value];
    const bomb = program(() => ({ ok: true, value: { type: 'list', value: [value] } }));
    expect(resultOf(selecting(bomb), [row('a')])).toMatchObject({
      rows: [[{ type: 'Null' }]],
      rowErrors: [{ wec: 'a' }],
    });
  });

  it('whose evaluation throws is an error of its column', () => {
    const fault = program(() => {
      throw new RangeError('Invalid string length');
    });
    const collector = selecting(fault);
    const both: CompiledCollector = {
      kind: 'select',
      columns: [
        { name: 'bad', program: fault },
        { name: 'good', program: TEXT },
      ],
      limit: collector.limit,
    };
    expect(resultOf(both, [row('a', { text: 'x' })])).toMatchObject({
      rows: [[{ type: 'Null' }, { type: 'String', string: 'x' }]],
      rowErrors: [
        {
          columnName: 'bad',
          error: notEvaluated('RangeError: Invalid string length'),
        },
      ],
    });
  });
});

describe('the rows of a collector', () => {
  it('that take too much together are no result, whatever the order of the merges', () => {
    const rows = texts(10, 120_000);
    const fold = collectorFold(selecting(TEXT));
    const result = fold.finish(foldRows(fold, rows));
    expect(result.failure).toBe(largeRows(20, MAX_COMBINED_STATUS_BYTES));
    expect(result.rows).toEqual([]);
    expect(fold.finish(foldRows(fold, rows.toReversed()))).toEqual(result);
  });

  it('keep no more than that in a part, of however many destinations', () => {
    const fold = collectorFold(selecting(TEXT, 10_000));
    const part = foldRows(fold, texts(300, 20_000));
    expect(jsonBytes(part)).toBeLessThan(MAX_COMBINED_STATUS_BYTES + 10_000);
  });

  it('that are too large beyond the limit alone are a result', () => {
    const rows = [...texts(8, 120_000)].map(({ activation }, index) => ({
      wec: `z${index}`,
      activation,
    }));
    const small = ['a', 'b'].map((wec) => row(wec, { text: wec }));
    const fold = collectorFold(selecting(TEXT, 2));
    // Where the large rows are folded first, they are the first two, and then they are not.
    const part = fold.merge(foldRows(fold, rows), foldRows(fold, small));
    expect(fold.finish(part).rows).toHaveLength(2);
    expect(stringifyJson(part)).toBe(stringifyJson(foldRows(fold, [...small, ...rows])));
  });

  it('of one row with too many large cells are no result', () => {
    const columns = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, program: TEXT }));
    const collector: CompiledCollector = { kind: 'select', columns, limit: 20 };
    expect(resultOf(collector, texts(1, 250_000)).failure).toContain('its first 20 rows');
  });
});

describe('the groups of a collector', () => {
  it('have keys no larger than a cell', () => {
    const [small] = texts(1, 10);
    const large = row('z', { text: 'x'.repeat(MAX_CELL_BYTES) });
    expect(resultOf(counting(TEXT), [small ?? large, large])).toMatchObject({
      rows: [[{ type: 'String' }, { type: 'Number', float: '1' }]],
      rowErrors: [{ wec: 'z', columnName: 'k', error: largeKey(262144) }],
    });
  });

  it('count all columns of the key together', () => {
    const collector: CompiledCollector = {
      kind: 'aggregate',
      groupBy: ['a', 'b'].map((name) => ({ name, program: TEXT })),
      combinedFields: [{ name: 'n', type: 'COUNT' }],
      limit: 20,
    };
    expect(resultOf(collector, texts(1, MAX_CELL_BYTES / 2))).toMatchObject({
      rows: [],
      rowErrors: [{ columnName: 'b' }],
    });
  });

  it('that take too much together are no result, and their part is bounded', () => {
    const fold = collectorFold(counting(TEXT, 10_000));
    const part = foldRows(fold, texts(300, 20_000));
    expect(jsonBytes(part)).toBeLessThan(MAX_COMBINED_STATUS_BYTES + 60_000);
    expect(fold.finish(part)).toMatchObject({
      rows: [],
      failure: expect.stringContaining('its first 10000 rows take more than'),
    });
  });
});

describe('errors of a column', () => {
  const bad = program(() => ({ ok: false, error: `no such key: ${'x'.repeat(5000)}` }));

  it('have a text of 500 characters at most', () => {
    const { rowErrors } = resultOf(selecting(bad), [row('a')]);
    expect(rowErrors[0]?.error).toHaveLength(501);
  });

  it('name 100 WECs at most, whatever the limit, and give the number of the others', () => {
    const { rowErrors } = resultOf(selecting(bad, 10_000), texts(130, 1));
    expect(rowErrors).toHaveLength(100);
    expect(rowErrors.at(-1)?.error).toMatch(/\(and 30 more WECs have an error in this column\)$/);
  });
});

describe('the price of a collector', () => {
  let evaluations = 0;
  const dear = program((_returned, budget) => {
    evaluations += 1;
    budget.remaining -= MAX_STEPS - 0.5;
    return { ok: true, value: { type: 'bool', value: true } };
  });
  const most = MAX_COLLECTOR_STEPS / MAX_STEPS;

  it('is the sum of the steps that its rows take, in whole steps', () => {
    const fold = collectorFold(selecting(dear));
    expect(foldRows(fold, texts(3, 1))).toMatchObject({ rows: 3, steps: 3 * 5000 });
    expect(fold.finish(foldRows(fold, texts(most, 1))).failure).toBeUndefined();
  });

  it('of a row is at most the limit of a row', () => {
    const beyond = program((_returned, budget) => {
      budget.remaining -= 1e9;
      return { ok: false, error: 'cancelled' };
    });
    const fold = collectorFold(selecting(beyond));
    expect(fold.lift(row('a'))).toMatchObject({ steps: MAX_STEPS });
  });

  it('beyond the limit is an error that says how much and what to do', () => {
    expect(resultOf(selecting(dear), texts(2 * most, 1))).toEqual({
      columnNames: [],
      rows: [],
      rowErrors: [],
      aggregationErrors: [],
      conversionErrors: [],
      failure: expensiveCollector(2000, 5000000, 5000),
    });
  });

  it('is the same part however the rows are sharded, and evaluated no further than the limit', () => {
    const fold = collectorFold(selecting(dear));
    const rows = texts(3 * most, 1);
    evaluations = 0;
    const whole = stringifyJson(foldRows(fold, rows));
    expect(evaluations).toBe(most + 1);
    const shards = Array.from({ length: 16 }, (_shard, shard) =>
      foldRows(
        fold,
        rows.filter((_row, index) => index % 16 === shard),
      ),
    );
    const merged = shards.reduce((all, part) => fold.merge(part, all), fold.empty);
    expect(stringifyJson(merged)).toBe(whole);
    expect(jsonBytes(merged)).toBeLessThan(100);
    expect(stringifyJson(fold.merge(merged, fold.empty))).toBe(whole);
  });
});

describe('a CombinedStatus', () => {
  const workload = {
    wds: 'w',
    group: 'apps',
    resource: 'deployments',
    namespace: 'n',
    name: 'web',
  };
  const made = (sizes: readonly number[]) =>
    combinedStatus({
      workload,
      owner: { apiVersion: 'apps/v1', kind: 'Deployment', uid: 'u' },
      binding: { name: 'b', uid: 'x' },
      results: sizes.map((bytes, index) => ({
        name: `c${index}`,
        result: resultOf(selecting(TEXT), texts(4, bytes / 4)),
      })),
    });

  it('keeps the results that fit, in the order of the names, and reports the others', () => {
    const { object, errors } = made([300_000, 500_000, 400_000, 100_000]);
    expect(jsonBytes(object)).toBeLessThanOrEqual(MAX_COMBINED_STATUS_BYTES);
    expect(object['results']).toMatchObject([
      { name: 'c0', rows: [{}, {}, {}, {}] },
      { name: 'c1', rows: [{}, {}, {}, {}] },
      {
        name: 'c2',
        columnNames: [],
        aggregationErrors: [{ columnName: '', error: expect.stringContaining('does not fit') }],
      },
      { name: 'c3', rows: [{}, {}, {}, {}] },
    ]);
    expect(errors).toEqual([
      expect.stringMatching(
        /^StatusCollector c2, deployments.apps n\/web: its result does not fit into the CombinedStatus, which takes at most 983040 bytes/,
      ),
    ]);
  });

  it('is as large as all results if they fit', () => {
    const { object, errors } = made([300_000, 300_000, 300_000]);
    expect(errors).toEqual([]);
    expect(jsonBytes(object)).toBeGreaterThan(900_000);
  });
});

describe('a StatusCollector', () => {
  const select = Array.from({ length: 101 }, (_column, index) => ({ name: `c${index}`, def: '1' }));

  it('has 100 columns at most in one list', () => {
    expect(compileStatusCollector({ select })).toMatchObject({
      ok: false,
      errors: [`spec.select: ${longList(101, 100)}`],
    });
    expect(compileStatusCollector({ select: select.slice(1) }).ok).toBe(true);
  });

  it('has 100 columns at most in all its lists', () => {
    const combinedFields = Array.from({ length: 50 }, (_field, index) => ({
      name: `n${index}`,
      type: 'COUNT',
    }));
    expect(compileStatusCollector({ groupBy: select.slice(0, 51), combinedFields })).toEqual({
      ok: false,
      errors: [`spec: ${manyColumns(101, 100)}`],
    });
    expect(compileStatusCollector({ groupBy: select.slice(0, 50), combinedFields }).ok).toBe(true);
  });
});
