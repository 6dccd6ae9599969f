import { describe, expect, it } from 'vitest';
import { chartColumns, chartOf } from '#console/model/query/chart.ts';
import {
  cellNumber,
  cellText,
  changedRows,
  isNumeric,
  nextSort,
  OBJECT_COLUMN,
  parseResultSort,
  type QueryResult,
  resultWith,
  sortResult,
  sortText,
  WEC_COLUMN,
} from '#console/model/query/result.ts';
import type { Value } from '#shared/core/collector/value.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { partOfGroups } from '#shared/core/status-api/messages.ts';

function number(float: number | string): Value {
  return { type: 'Number', float: String(float) };
}

function text(string: string): Value {
  return { type: 'String', string };
}

const NOTHING: Value = { type: 'Null' };

function answer(rows: readonly unknown[], more: JsonObject = {}): JsonObject {
  return { status: { columnNames: ['a', 'b'], rows, ...more } as unknown as JsonObject };
}

function row(wec: string, ...columns: readonly Value[]) {
  const workload = {
    group: 'apps',
    resource: 'deployments',
    kind: 'Deployment',
    namespace: 'shop',
  };
  return { workload: { ...workload, name: `of-${wec}` }, wec, columns };
}

function rows(...all: readonly unknown[]): QueryResult {
  return resultWith(undefined, answer(all), undefined);
}

function wecs(result: QueryResult, ...sort: Parameters<typeof nextSort>): readonly string[] {
  return sortResult(result.rows, nextSort(...sort)).map(({ of }) => of?.wec ?? '');
}

describe('a result', () => {
  it('grows by each answer', () => {
    const price = { rows: 2, steps: 500, rowSteps: 3 };
    const first = resultWith(undefined, answer([row('x')], { price, continue: 'c' }), undefined);
    expect(first).toMatchObject({ next: 'c', answers: 1, price });
    const last = answer([row('y')], { price, errors: [{ error: 'e' }] });
    const both = resultWith(first, last, undefined);
    expect(both.rows.map(({ of }) => of?.wec)).toEqual(['x', 'y']);
    expect(both).toMatchObject({ answers: 2, price: { rows: 4, steps: 1000, rowSteps: 3 } });
    expect(both.errors).toEqual([{ error: 'e' }]);
    expect(both.next).toBeUndefined();
  });

  it('merges the groups of several answers, and does not say so', () => {
    const group = (key: string, count: number) => ({ columns: [text(key), number(count)], count });
    const part = { errors: [{ error: partOfGroups(3) }] };
    const columns = ['key', 'COUNT'] as const;
    const first = resultWith(undefined, answer([group('b', 1), group('a', 2)], part), columns);
    const both = resultWith(first, answer([group('b', 4)], part), columns);
    expect(both.rows.map(({ cells }) => cells.map(cellText))).toEqual([
      ['a', '2'],
      ['b', '5'],
    ]);
    expect(both.errors).toEqual([]);
    expect(both.price).toBeUndefined();
    expect(new Set(both.rows.map(({ key }) => key)).size).toBe(2);
  });

  it('knows which rows say something else than before', () => {
    const before = rows(row('x', number(1)), row('y', number(1)), row('z', NOTHING));
    const after = rows(row('x', number(1)), row('y', number(2)), row('new', number(3)));
    expect(changedRows(before, after)).toEqual([before.rows[1]?.key]);
    expect(changedRows(undefined, after)).toEqual([]);
  });

  it('is sorted by a column, and what has nothing there is last', () => {
    const result = rows(
      row('x', number(10), text('b')),
      row('y', NOTHING, text('a')),
      row('z', number(9), text('c')),
    );
    expect(wecs(result, undefined, 0)).toEqual(['z', 'x', 'y']);
    expect(wecs(result, { column: 0, isReverse: false }, 0)).toEqual(['x', 'z', 'y']);
    expect(wecs(result, { column: 0, isReverse: true }, 0)).toEqual(['x', 'y', 'z']);
    expect(wecs(result, undefined, 1)).toEqual(['y', 'x', 'z']);
    expect(wecs(result, { column: WEC_COLUMN, isReverse: false }, WEC_COLUMN)).toEqual([
      'z',
      'y',
      'x',
    ]);
    expect(wecs(result, undefined, OBJECT_COLUMN)).toEqual(['x', 'y', 'z']);
  });

  it.each(['object', '-wec', '0', '-0', '12'])('has its order in the address: %s', (text) => {
    const order = parseResultSort(text);
    expect(order && sortText(order)).toBe(text);
  });

  it.each([undefined, '', 'x', '1.5', '--1'])('has no order in %s', (text) => {
    expect(parseResultSort(text)).toBeUndefined();
  });

  it('sorts numbers before other values', () => {
    const result = rows(row('x', text('a')), row('y', number('NaN')), row('z', number('-Inf')));
    expect(wecs(result, undefined, 0)).toEqual(['z', 'y', 'x']);
  });

  it.each<[Value, string, number | undefined]>([
    [number('1e+06'), '1e+06', 1_000_000],
    [number('+Inf'), '+Inf', Number.POSITIVE_INFINITY],
    [number('NaN'), 'NaN', undefined],
    [text('<b>'), '<b>', undefined],
    [{ type: 'Bool', bool: false }, 'false', undefined],
    [{ type: 'Object', object: { a: [1] } }, '{"a":[1]}', undefined],
    [{ type: 'Array', array: ['a'] }, '["a"]', undefined],
    [NOTHING, '', undefined],
  ])('has cells: %o', (cell, shown, value) => {
    expect(cellText(cell)).toBe(shown);
    expect(cellNumber(cell)).toBe(value);
  });
});

describe('a chart', () => {
  it('has a bar for each group, and the least in ink', () => {
    const group = (key: Value, value: Value) => ({ columns: [key, value], count: 1 });
    const result = resultWith(
      undefined,
      answer([
        group(text('eu'), number(4)),
        group(NOTHING, number(7)),
        group(text('us'), number('NaN')),
        group(text('ap'), number(4)),
      ]),
      ['key', 'MIN'],
    );
    expect(chartColumns(result)).toEqual([1]);
    const chart = chartOf(result, 1);
    expect(chart?.bars.map(({ label, text: shown }) => `${label} ${shown}`)).toEqual([
      ...['eu 4', 'nothing 7', 'ap 4'],
    ]);
    expect(chart?.extreme).toEqual(new Set([0, 2]));
    expect(chartOf(rows(), 0)).toBeUndefined();
  });

  it('of all rows together has one bar, and none in ink', () => {
    const chart = chartOf(resultWith(undefined, answer([{ columns: [number(3)] }]), ['SUM']), 0);
    expect(chart).toMatchObject({ type: 'groups', bars: [{ label: 'all' }], extreme: new Set() });
  });

  it('counts the rows with each value', () => {
    const result = rows(...[3, 1, 3, 3].map((value, index) => row(`w${index}`, number(value))));
    const chart = chartOf(result, 0);
    expect(chart?.bars.map(({ label, value }) => [label, value])).toEqual([
      ['1', 1],
      ['3', 3],
    ]);
    expect(chart?.extreme).toEqual(new Set([1]));
  });

  it('counts the rows in ten ranges if there are many values', () => {
    const all = Array.from({ length: 100 }, (_, index) => row(`w${index}`, number(index / 2)));
    const chart = chartOf(rows(...all), 0);
    expect(chart?.bars).toHaveLength(10);
    expect(chart?.bars[0]?.label).toBe('0 – 4.95');
    expect(chart?.bars.reduce((sum, { value }) => sum + value, 0)).toBe(100);
  });

  it('draws no more groups than can be told apart', () => {
    const groups = Array.from({ length: 60 }, (_, index) => ({
      columns: [text(`g${index}`), number(index)],
      count: 1,
    }));
    const chart = chartOf(resultWith(undefined, answer(groups), ['key', 'COUNT']), 1);
    expect(chart).toMatchObject({ left: 20 });
  });

  it('is of columns with numbers, whether or not some have none', () => {
    const result = rows(row('x', number(1), text('a')), row('y', NOTHING, number(2)));
    expect(chartColumns(result)).toEqual([0]);
    expect(isNumeric(rows(row('x', NOTHING)).rows, 0)).toBe(false);
  });
});
