import { describe, expect, it } from 'vitest';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import type { CollectorResult } from '#shared/core/collector/collector-result.ts';
import type { CollectorRow } from '#shared/core/collector/compiled-collector.ts';
import {
  compositeKey,
  filterValue,
  moreErrors,
  NO_VALUES,
  notANumber,
  splitMoreErrors,
} from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';

const obj: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'nginx-deployment', namespace: 'nginx', generation: 2 },
  spec: { replicas: 3 },
};

function row(wec: string, returned: JsonObject = {}, lastUpdate?: string): CollectorRow {
  return {
    wec,
    activation: {
      inventory: { name: wec },
      obj,
      returned,
      propagation: lastUpdate === undefined ? {} : { lastReturnedUpdateTimestamp: lastUpdate },
    },
  };
}

function evaluate(spec: JsonObject, rows: readonly CollectorRow[]): CollectorResult {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join('; '));
  const fold = collectorFold(compilation.collector);
  return fold.finish(foldRows(fold, rows));
}

function number(float: string) {
  return { type: 'Number', float };
}

function text(string: string) {
  return { type: 'String', string };
}

describe('the examples of the combined status document', () => {
  it('count-wecs gives the number of WECs', () => {
    const spec = { combinedFields: [{ name: 'count', type: 'COUNT' }], limit: 10 };
    expect(evaluate(spec, [row('edge1', { replicas: 3 }), row('edge2')])).toEqual({
      columnNames: ['count'],
      rows: [[number('2')]],
      rowErrors: [],
      aggregationErrors: [],
      conversionErrors: [],
    });
  });

  it('the histogram of the Pod phase gives a row for each phase', () => {
    const spec = {
      groupBy: [{ name: 'phase', def: 'returned.status.phase' }],
      combinedFields: [{ name: 'count', type: 'COUNT' }],
    };
    const rows = ['Running', 'Pending', 'Running', 'Failed', 'Running'].map((phase, index) =>
      row(`edge${index}`, { phase }),
    );
    expect(evaluate(spec, rows)).toMatchObject({
      columnNames: ['phase', 'count'],
      rows: [
        [text('Failed'), number('1')],
        [text('Pending'), number('1')],
        [text('Running'), number('3')],
      ],
    });
  });

  it('the histogram of available replicas gives a row for each number, in numeric order', () => {
    const spec = {
      groupBy: [{ name: 'numAvailable', def: 'returned.status.availableReplicas' }],
      combinedFields: [{ name: 'count', type: 'COUNT' }],
    };
    const rows = [10, 2, 10, 3].map((availableReplicas, index) =>
      row(`edge${index}`, { availableReplicas }),
    );
    expect(evaluate(spec, [...rows, row('edge9')])).toMatchObject({
      columnNames: ['numAvailable', 'count'],
      rows: [
        [number('2'), number('1')],
        [number('3'), number('1')],
        [number('10'), number('2')],
      ],
      rowErrors: [
        { wec: 'edge9', columnName: 'numAvailable', error: 'no such key: availableReplicas' },
      ],
    });
  });

  it('the list of not fully available WECs reports an absent count as an error of the filter', () => {
    const spec = {
      filter: 'obj.spec.replicas != returned.status.availableReplicas',
      select: [{ name: 'wec', def: 'inventory.name' }],
    };
    const rows = [
      row('edge3', { availableReplicas: 1 }),
      row('edge1', { availableReplicas: 3 }),
      row('edge2', { availableReplicas: 2 }),
      row('edge4', {}),
    ];
    expect(evaluate(spec, rows)).toEqual({
      columnNames: ['wec'],
      rows: [[text('edge2')], [text('edge3')]],
      rowErrors: [{ wec: 'edge4', columnName: '', error: 'no such key: availableReplicas' }],
      aggregationErrors: [],
      conversionErrors: [],
    });
  });

  it('the full status comes with the name of the WEC and the time of its update', () => {
    const spec = {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'status', def: 'returned.status' },
        { name: 'retrievalTime', def: 'propagation.lastReturnedUpdateTimestamp' },
      ],
    };
    const status = { replicas: 3, conditions: [{ type: 'Available', status: 'True' }] };
    const rows = [row('edge2', status, '2024-11-07T20:15:27Z'), row('edge1')];
    expect(evaluate(spec, rows)).toMatchObject({
      columnNames: ['wec', 'status', 'retrievalTime'],
      rows: [
        [text('edge1'), { type: 'Object', object: {} }, text('1970-01-01T00:00:00Z')],
        [text('edge2'), { type: 'Object', object: status }, text('2024-11-07T20:15:27Z')],
      ],
      rowErrors: [],
    });
  });
});

describe('the filter', () => {
  it('takes null as false, without an error', () => {
    const spec = {
      filter: 'returned.status.ready',
      select: [{ name: 'w', def: 'inventory.name' }],
    };
    const rows = [row('a', { ready: null }), row('b', { ready: true }), row('c', { ready: false })];
    expect(evaluate(spec, rows)).toMatchObject({ rows: [[text('b')]], rowErrors: [] });
  });

  it.each([
    ['a selection', { select: [{ name: 'w', def: 'inventory.name' }] }, [[text('ok')]]],
    ['an aggregation', { combinedFields: [{ name: 'n', type: 'COUNT' }] }, [[number('1')]]],
  ])('leaves a row out of %s if it returns no bool, and reports it', (_form, form, rows) => {
    const spec = { filter: 'returned.status.ready', ...form };
    expect(
      evaluate(spec, [row('bad', { ready: 'yes' }), row('gone', {}), row('ok', { ready: true })]),
    ).toMatchObject({
      rows,
      rowErrors: [
        { wec: 'bad', columnName: '', error: filterValue('string') },
        { wec: 'gone', columnName: '', error: 'no such key: ready' },
      ],
    });
  });
});

describe('plain selection', () => {
  it('gives the first rows by the name of their WEC, up to the limit', () => {
    const spec = { select: [{ name: 'w', def: 'inventory.name' }], limit: 2 };
    expect(
      evaluate(
        spec,
        ['d', 'b', 'a', 'c'].map((wec) => row(wec)),
      ),
    ).toMatchObject({
      rows: [[text('a')], [text('b')]],
    });
  });

  it('gives at most 20 rows if the collector has no limit', () => {
    const spec = { select: [{ name: 'w', def: 'inventory.name' }] };
    const rows = Array.from({ length: 30 }, (_unused, index) => row(`edge${index}`));
    expect(evaluate(spec, rows).rows).toHaveLength(20);
  });

  it('keeps a row whose columns fail, with Null in their place and an error for each', () => {
    const spec = {
      select: ['x', 'y', 'z'].map((name) => ({ name, def: `returned.status.${name}` })),
    };
    expect(evaluate(spec, [row('edge1', { y: 1 })])).toMatchObject({
      rows: [[{ type: 'Null' }, number('1'), { type: 'Null' }]],
      rowErrors: [
        { wec: 'edge1', columnName: 'x', error: 'no such key: x' },
        { wec: 'edge1', columnName: 'z', error: 'no such key: z' },
      ],
    });
  });

  it('lists the errors of the first WECs of each column and counts the rest', () => {
    const spec = {
      select: ['x', 'y'].map((name) => ({ name, def: `returned.status.${name}` })),
      limit: 2,
    };
    const rows = ['d', 'b', 'a'].map((wec) => row(wec, {}));
    expect(evaluate(spec, [...rows, row('c', { x: 1 })]).rowErrors).toEqual([
      { wec: 'a', columnName: 'x', error: 'no such key: x' },
      {
        wec: 'b',
        columnName: 'x',
        error: `no such key: x ${moreErrors(1)}`,
      },
      { wec: 'a', columnName: 'y', error: 'no such key: y' },
      {
        wec: 'b',
        columnName: 'y',
        error: `no such key: y ${moreErrors(2)}`,
      },
    ]);
  });

  it('ends an expression that takes too many steps, alone with its row', () => {
    const spec = {
      select: [
        { name: 'pairs', def: 'returned.status.xs.all(x, returned.status.xs.all(y, x + y >= 0))' },
      ],
    };
    const side = Math.ceil(Math.sqrt(MAX_STEPS));
    const xs = Array.from({ length: side }, (_unused, index) => index);
    const result = evaluate(spec, [row('big', { xs }), row('small', { xs: [1, 2] })]);
    expect(result.rows).toEqual([[{ type: 'Null' }], [{ type: 'Bool', bool: true }]]);
    expect(result.rowErrors).toMatchObject([{ wec: 'big', columnName: 'pairs' }]);
  });
});

describe('aggregation', () => {
  const all = {
    combinedFields: [
      { name: 'count', type: 'COUNT' },
      ...['SUM', 'AVG', 'MIN', 'MAX'].map((type) => ({
        name: type.toLowerCase(),
        type,
        subject: 'returned.status.n',
      })),
    ],
  };

  it('computes every aggregate', () => {
    const rows = [1, 4, 2.5].map((n, index) => row(`edge${index}`, { n }));
    expect(evaluate(all, rows).rows).toEqual([['3', '7.5', '2.5', '1', '4'].map(number)]);
  });

  it('prints a count in decimal and every other aggregate as a double', () => {
    const spec = {
      combinedFields: [
        { name: 's', type: 'SUM', subject: 'returned.status.n' },
        { name: 'm', type: 'MAX', subject: 'returned.status.n' },
      ],
    };
    const rows = [1_000_000, 234_567].map((n, index) => row(`edge${index}`, { n }));
    expect(evaluate(spec, rows).rows).toEqual([[number('1.234567e+06'), number('1e+06')]]);
  });

  it.each([
    ['there is none', []],
    ['every row has an error', [row('a', {}), row('b')]],
  ])('gives one row of identities if %s', (_case, rows) => {
    expect(evaluate(all, rows)).toMatchObject({
      rows: [['0', '0', 'NaN', '+Inf', '-Inf'].map(number)],
      aggregationErrors: [{ columnName: 'avg', error: NO_VALUES }],
      conversionErrors: [],
    });
  });

  it('omits a row with an error from all aggregates', () => {
    const spec = {
      combinedFields: [
        { name: 'count', type: 'COUNT' },
        { name: 'a', type: 'SUM', subject: 'returned.status.a' },
        { name: 'b', type: 'SUM', subject: 'returned.status.b' },
      ],
    };
    const rows = [row('edge1', { a: 1, b: 2 }), row('edge2', { a: 100 })];
    expect(evaluate(spec, rows)).toMatchObject({
      rows: [['1', '1', '2'].map(number)],
      rowErrors: [{ wec: 'edge2', columnName: 'b', error: 'no such key: b' }],
    });
  });

  it('counts a subject that is not a number as 0 and names the first WEC', () => {
    const rows = [row('c', { n: 'x' }), row('b', { n: null }), row('a', { n: '6' })];
    const error = `WEC b: ${notANumber('a value of type null')}`;
    const more = moreErrors(1);
    const errors = ['sum', 'avg', 'min', 'max'].map((columnName) => ({
      columnName,
      error: `${error} ${more}`,
    }));
    expect(evaluate(all, rows)).toEqual({
      columnNames: ['count', 'sum', 'avg', 'min', 'max'],
      rows: [['3', '6', '2', '0', '6'].map(number)],
      rowErrors: [],
      aggregationErrors: errors,
      conversionErrors: errors,
    });
  });

  it('gives NaN from a minimum with NaN, whatever the order', () => {
    const rows = ['NaN', '1', 'Inf'].map((n, index) => row(`edge${index}`, { n }));
    expect(evaluate(all, rows).rows).toEqual([['3', 'NaN', 'NaN', 'NaN', 'NaN'].map(number)]);
  });
});

describe('aggregation with GROUP BY', () => {
  const byN = {
    groupBy: [{ name: 'n', def: 'returned.status.n' }],
    combinedFields: [{ name: 'count', type: 'COUNT' }],
  };

  it('gives no row over none', () => {
    expect(evaluate(byN, [])).toMatchObject({ rows: [], aggregationErrors: [] });
  });

  it('gives the first groups by key, up to the limit', () => {
    const rows = [3, 1, 2, 1].map((n, index) => row(`edge${index}`, { n }));
    expect(evaluate({ ...byN, limit: 2 }, rows).rows).toEqual([
      [number('1'), number('2')],
      [number('2'), number('1')],
    ]);
  });

  it('groups by null as by any value, and leaves out a key that is not atomic', () => {
    const rows = [
      row('a', { n: null }),
      row('b', { n: [1] }),
      row('c', { n: {} }),
      row('d', { n: 'x' }),
    ];
    expect(evaluate(byN, rows)).toMatchObject({
      rows: [
        [{ type: 'Null' }, number('1')],
        [text('x'), number('1')],
      ],
      rowErrors: [
        {
          wec: 'b',
          columnName: 'n',
          error: compositeKey('list'),
        },
        {
          wec: 'c',
          columnName: 'n',
          error: compositeKey('map'),
        },
      ],
    });
  });

  it('takes an int and a double of the same value as one group', () => {
    const spec = { ...byN, groupBy: [{ name: 'n', def: 'returned.status.n * 2.0' }] };
    const mixed = {
      ...byN,
      groupBy: [{ name: 'n', def: 'inventory.name == "a" ? 1.0 : dyn(1)' }],
    };
    expect(evaluate(mixed, [row('a'), row('b')]).rows).toEqual([[number('1'), number('2')]]);
    expect(evaluate(spec, [row('a', { n: 0.5 })]).rows).toEqual([[number('1'), number('1')]]);
  });

  it('groups by every column', () => {
    const spec = {
      groupBy: [
        { name: 'phase', def: 'returned.status.phase' },
        { name: 'ready', def: 'returned.status.ready' },
      ],
      combinedFields: [{ name: 'sum', type: 'SUM', subject: 'returned.status.n' }],
    };
    const rows = [
      row('a', { phase: 'Running', ready: true, n: 1 }),
      row('b', { phase: 'Running', ready: false, n: 2 }),
      row('c', { phase: 'Running', ready: true, n: 4 }),
    ];
    expect(evaluate(spec, rows).rows).toEqual([
      [text('Running'), { type: 'Bool', bool: false }, number('2')],
      [text('Running'), { type: 'Bool', bool: true }, number('5')],
    ]);
  });
});

it.each([1, 2, 90])('the number of the others is read from a text again: %i', (more) => {
  expect(splitMoreErrors(`no such key: x ${moreErrors(more)}`)).toEqual({
    text: 'no such key: x',
    more,
  });
  expect(splitMoreErrors('no such key: x')).toEqual({ text: 'no such key: x', more: 0 });
});
