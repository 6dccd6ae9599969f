import { describe, expect, it } from 'vitest';
import {
  type CombinedStatusObject,
  type CombinedTable,
  combinedPath,
  combinedSelector,
  combinedTables,
  inOrder,
} from '#console/model/combined.ts';
import {
  type CombinedStatusInput,
  combinedStatus as made,
} from '#shared/core/collector/combined-status.ts';
import { type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { combinedStatus, RESULTS, result } from '#test/fakes/console/combined.ts';

function tablesOf(results: JsonValue): readonly CombinedTable[] {
  const object = { ...combinedStatus(), results } as unknown as CombinedStatusObject;
  return combinedTables(object);
}

function tableOf(one: JsonObject): CombinedTable {
  const [table] = tablesOf([one]);
  if (table === undefined) throw new Error('there is no table');
  return table;
}

function textsOf({ rows }: CombinedTable): readonly (readonly string[])[] {
  return rows.map((row) => row.map(({ text }) => text));
}

const WEB = { resource: 'deployments.apps', namespace: 'shop', name: 'web' };

describe('a CombinedStatus', () => {
  it('is a table for each StatusCollector', () => {
    const tables = tablesOf(RESULTS);
    expect(tables.map(({ collector, binding }) => [collector, binding]).slice(0, 3)).toEqual([
      ['available-histogram', 'bp-shop'],
      ['not-fully-available', 'bp-shop'],
      ['totals', 'bp-shop'],
    ]);
    expect(tables[1]?.columns).toEqual([
      { name: 'wec', isNumber: false },
      { name: 'available', isNumber: true },
      { name: 'wanted', isNumber: true },
    ]);
    expect(tables[1] && textsOf(tables[1])[0]).toEqual(['eu-west-003', '4', '10']);
  });

  it('has values of every type', () => {
    const columns = [
      { type: 'String', string: '12' },
      { type: 'Number', float: '1.5' },
      { type: 'Number', float: 'NaN' },
      { type: 'Number', float: '+Inf' },
      { type: 'Bool', bool: true },
      { type: 'Bool' },
      { type: 'Null' },
      { type: 'Object', object: { a: [1] } },
      { type: 'Array', array: ['b'] },
      { type: 'Later' },
      null,
    ];
    const names = columns.map((_column, index) => `c${index}`);
    const [row] = tableOf({ name: 'all', columnNames: names, rows: [{ columns }] }).rows;
    expect(row?.map(({ text }) => text)).toEqual([
      ...['12', '1.5', 'NaN', '+Inf', 'true', 'false', '', '{"a":[1]}', '["b"]', '', ''],
    ]);
    expect(row?.map(({ number }) => number).filter((one) => one !== undefined)).toEqual([1.5]);
    expect(row?.map(({ isNull }) => isNull).indexOf(true)).toBe(6);
  });

  it('has errors of rows, which name the WEC, and of aggregates', () => {
    const totals = tablesOf(RESULTS)[2];
    expect(totals?.errors).toEqual([
      { wec: 'ap-south-004', column: 'ready', error: 'no such key: readyReplicas' },
      { column: 'ready', error: 'a value is not a number' },
    ]);
  });

  it('is read as Starfold makes it', () => {
    const workload = {
      ...{ group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop', name: 'web' },
      wds: 'wds1',
    };
    const input: CombinedStatusInput = {
      workload,
      owner: { apiVersion: 'apps/v1', kind: 'Deployment', uid: 'u' },
      binding: { name: 'bp', uid: 'b' },
      results: [
        {
          name: 'ready',
          result: {
            columnNames: ['wec', 'ready'],
            rows: [['edge-1', null]],
            rowErrors: [{ wec: 'edge-2', columnName: 'ready', error: 'no such key' }],
            aggregationErrors: [],
            conversionErrors: [],
          } as unknown as CombinedStatusInput['results'][number]['result'],
        },
      ],
    };
    const { object } = made(input);
    const [table] = combinedTables(object as unknown as CombinedStatusObject);
    expect(table).toMatchObject({ collector: 'ready', binding: 'bp' });
    expect(table?.errors).toEqual([{ wec: 'edge-2', column: 'ready', error: 'no such key' }]);
    for (const requirement of combinedSelector(WEB).split(',')) {
      const [key = '', value = ''] = requirement.split('=');
      expect(textAt(object, 'metadata', 'labels', key)).toBe(value);
    }
  });

  it.each<[string, JsonValue]>([
    ['no list', 'x'],
    ['nothing', null],
    ['a list of other things', [null, 1, [], {}]],
    ['rows that are none', [{ name: 'a', columnNames: ['x'], rows: [1, { columns: 2 }] }]],
    ['columns without a name', [{ name: 'a', columnNames: [1, null], rows: [] }]],
  ])('that has %s does no harm', (_what, results) => {
    for (const table of tablesOf(results)) expect(table.bars).toBeUndefined();
  });
});

describe('a histogram', () => {
  it('is what has two columns, of which the second is a number', () => {
    const [first, ...others] = tablesOf(RESULTS);
    expect(
      first?.bars?.map(({ label, share, isExtreme }) => [label.text, share, isExtreme]),
    ).toEqual([
      ['4', 1 / 31, true],
      ['7', 5 / 31, false],
      ['8', 3 / 31, false],
      ['10', 1, false],
    ]);
    expect(others.every(({ bars }) => bars === undefined)).toBe(true);
  });

  it('is in the order of its numbers, or of its rows if these are texts', () => {
    const labels = (rows: readonly (readonly (string | number)[])[]) =>
      tableOf(result(['h', 'by', 'count'], rows)).bars?.map(({ label }) => label.text);
    expect(
      labels([
        [10, 1],
        [2, 4],
        [3, 0],
      ]),
    ).toEqual(['2', '3', '10']);
    expect(
      labels([
        ['b', 1],
        ['a', 4],
      ]),
    ).toEqual(['b', 'a']);
  });

  it('marks the group with the least of it, unless several have', () => {
    const marked = (rows: readonly (readonly (string | number)[])[]) =>
      tableOf(result(['h', 'region', 'ready'], rows)).bars?.filter(({ isExtreme }) => isExtreme);
    expect(
      marked([
        ['eu', 3],
        ['us', 1],
      ]),
    ).toMatchObject([{ label: { text: 'us' } }]);
    expect(
      marked([
        ['eu', 1],
        ['us', 1],
      ]),
    ).toEqual([]);
  });

  it.each<[string, readonly (readonly (string | number | null)[])[]]>([
    ['one row', [[1, 2]]],
    [
      'a value that is missing',
      [
        ['a', 1],
        ['b', null],
      ],
    ],
    [
      'a text',
      [
        ['a', 1],
        ['b', 'x'],
      ],
    ],
    [
      'a negative number',
      [
        ['a', 1],
        ['b', -1],
      ],
    ],
    [
      'the same label twice',
      [
        ['a', 1],
        ['a', 2],
      ],
    ],
    ['too many rows', Array.from({ length: 25 }, (_, index) => [index, index])],
  ])('is not what has %s', (_what, rows) => {
    expect(tableOf(result(['h', 'by', 'count'], rows)).bars).toBeUndefined();
  });

  it('of nothing but zeros has no bars that are longer than others', () => {
    const { bars } = tableOf(
      result(
        ['h', 'by', 'count'],
        [
          ['a', 0],
          ['b', 0],
        ],
      ),
    );
    expect(bars?.map(({ share }) => share)).toEqual([0, 0]);
  });
});

describe('where CombinedStatuses are found', () => {
  it('is the namespace of the object, and KubeStellar’s own for those without one', () => {
    expect(combinedPath(WEB)).toBe(
      '/apis/control.kubestellar.io/v1alpha1/namespaces/shop/combinedstatuses',
    );
    const role = { resource: 'clusterroles.rbac.authorization.k8s.io', namespace: '', name: 'a:b' };
    expect(combinedPath(role)).toContain('/namespaces/kubestellar-report/');
    expect(combinedSelector(role)).toMatch(/,status\.kubestellar\.io\/name=a-b-[0-9a-f]{16}$/);
  });
});

it('tables are in the order of their StatusCollectors, then of Bindings', () => {
  const named = (collector: string, binding: string) => ({ collector, binding }) as CombinedTable;
  const sorted = inOrder([named('b', '1'), named('a', '2'), named('a', '1')]);
  expect(sorted.map(({ collector, binding }) => collector + binding)).toEqual(['a1', 'a2', 'b1']);
});
