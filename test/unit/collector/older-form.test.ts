import { describe, expect, it } from 'vitest';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import { type CollectorRow, columnNames } from '#shared/core/collector/compiled-collector.ts';
import { CONSTANT, filterType, REMEDIES } from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import {
  nestedDeeper,
  noFieldSelection,
  noPath,
  TYPE_REMEDY,
  undeclaredReference,
  unknownBeginning,
  unreadableSteps,
} from '#shared/core/expression/messages.ts';
import { noneOf } from '#shared/core/field-messages.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const count = { name: 'count', type: 'COUNT' };

function path(text: string): JsonObject {
  return { op: 'Path', path: text };
}

function op(name: string, ...args: readonly JsonValue[]): JsonObject {
  return { op: name, args };
}

function row(wec: string, status: JsonObject, stale: boolean): CollectorRow {
  const obj = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 3 } };
  return {
    wec,
    activation: { inventory: { name: wec }, obj, returned: status, propagation: { stale } },
  };
}

const ROWS = [
  row('wec1', { phase: 'Running', availableReplicas: 3 }, false),
  row('wec2', { phase: 'Failed', availableReplicas: 1 }, true),
  row('wec3', { phase: 'Running', availableReplicas: 1 }, true),
];

type Row = readonly unknown[];

/** The column names and the rows that a collector gives, each cell by what is in it. */
function table(spec: JsonObject): readonly Row[] {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join('; '));
  const { collector } = compilation;
  const fold = collectorFold(collector);
  const result = fold.finish(foldRows(fold, ROWS));
  const rows = result.rows.map((cells) =>
    cells.map(({ type: _type, ...content }) => Object.values(content)[0]),
  );
  return [columnNames(collector), ...rows];
}

function errorsOf(spec: JsonObject): readonly string[] {
  const compilation = compileStatusCollector(spec);
  return compilation.ok ? [] : compilation.errors;
}

describe('a StatusCollector in the older form', () => {
  it.each<[string, JsonObject, readonly Row[]]>([
    ['the number of WECs', { combinedFields: [count] }, [['count'], ['3']]],
    [
      'the stale WECs',
      { filter: path('$.propagation.stale'), select: path('$.inventory.name') },
      [['name'], ['wec2'], ['wec3']],
    ],
    [
      'the histogram of phases',
      { groupBy: [{ name: 'phase', def: path('$.status.phase') }], combinedFields: [count] },
      [
        ['phase', 'count'],
        ['Failed', '1'],
        ['Running', '2'],
      ],
    ],
    [
      'the histogram of available replicas',
      {
        groupBy: [{ name: 'numAvailable', def: path('$.status.availableReplicas') }],
        combinedFields: [count],
      },
      [
        ['numAvailable', 'count'],
        ['1', '2'],
        ['3', '1'],
      ],
    ],
    [
      'the WECs where a Deployment is not fully available',
      {
        filter: op('Not', op('Equal', path('$.spec.replicas'), path('$.status.availableReplicas'))),
        select: [{ name: 'wec', def: path('$.inventory.name') }],
      },
      [['wec'], ['wec2'], ['wec3']],
    ],
    [
      'the full status from each WEC',
      {
        select: [
          { name: 'wec', def: path('$.inventory.name') },
          { name: 'status', def: path('$.status') },
        ],
      },
      [
        ['wec', 'status'],
        ['wec1', { phase: 'Running', availableReplicas: 3 }],
        ['wec2', { phase: 'Failed', availableReplicas: 1 }],
        ['wec3', { phase: 'Running', availableReplicas: 1 }],
      ],
    ],
    [
      'a sum beside CEL',
      {
        filter: op('And', path('$.propagation.stale'), 'returned.status.phase == "Running"'),
        groupBy: [{ name: 'wec', def: 'inventory.name' }],
        combinedFields: [
          { name: 'sum', type: 'SUM', subject: path('$.status.availableReplicas') },
          { name: 'wanted', type: 'SUM', subject: 'obj.spec.replicas' },
        ],
      },
      [
        ['wec', 'sum', 'wanted'],
        ['wec3', '1', '3'],
      ],
    ],
    [
      'a selection that is no path',
      { select: op('Equal', path('$.status.availableReplicas'), 1) },
      [['value'], [false], [true], [true]],
    ],
  ])('gives %s', (_what, spec, rows) => {
    expect(table(spec)).toEqual(rows);
  });
});

describe('a StatusCollector in the older form that cannot be used', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'the field of every fault',
      {
        filter: op('Not', path('$.metadata')),
        groupBy: [{ name: 'g', def: path('$.status.*') }],
        combinedFields: [{ name: 'sum', type: 'SUM', subject: { op: 'Sum' } }],
      },
      [
        `spec.filter.args[0].path: ${unknownBeginning('"$.metadata"')}`,
        `spec.groupBy[0].def.path: ${unreadableSteps('".*"')}`,
        `spec.combinedFields[0].subject.op: ${noneOf('Path, Not, And, Or, Equal')}`,
      ],
    ],
    ['a bare selection', { select: path('status') }, [`spec.select.path: ${noPath('"status"')}`]],
    [
      'an argument that is meant as a constant, with its place',
      { filter: op('Equal', path('$.status.phase'), 'Running'), select: path('$.inventory.name') },
      [
        `spec.filter.args[1], line 1, column 1: ${undeclaredReference('Running')}; ${REMEDIES['undeclared-reference']}${CONSTANT}`,
      ],
    ],
    [
      'what CEL says of the whole, without a place in a text that nobody wrote',
      { filter: op('Not', path('$.inventory.name')), select: path('$.inventory.name.first') },
      [
        `spec.filter, as CEL: found no matching overload for '!_' applied to '(string)'; ${TYPE_REMEDY}`,
        `spec.select, as CEL: ${noFieldSelection('string')}; convert`,
      ],
    ],
    [
      'a filter that is never a bool',
      { filter: path('$.inventory.name'), select: path('$.inventory.name') },
      [`spec.filter: ${filterType('string')}`],
    ],
    [
      'a length',
      {
        filter: op(
          'And',
          ...Array.from({ length: 200 }, () => path('$.status.conditions[0].status')),
        ),
        select: path('$.inventory.name'),
      },
      ['spec.filter, as CEL: expression has 7996 characters; at most 4096 are allowed; shorten'],
    ],
    [
      'a number that is no int64',
      { select: path('$.status.list[99999999999999999999]') },
      ['spec.select, as CEL: invalid int literal; '],
    ],
  ])('is reported: %s', (_what, spec, errors) => {
    expect(errorsOf(spec)).toEqual(errors.map((error) => expect.stringContaining(error)));
  });

  it.each([
    [249, []],
    [250, [`spec.filter, as CEL: ${nestedDeeper('expression is', 250)}; ${REMEDIES['too-deep']}`]],
    [251, [`spec.filter: ${nestedDeeper('is', 250)}; ${REMEDIES['too-deep']}`]],
    [100_000, [`spec.filter: ${nestedDeeper('is', 250)}; ${REMEDIES['too-deep']}`]],
  ])('of %d levels has the errors %o', (depth, errors) => {
    let filter = path('$.propagation.stale');
    for (let level = 1; level < depth; level += 1) filter = op('Not', filter);
    expect(errorsOf({ filter, select: path('$.inventory.name') })).toEqual(errors);
  });
});
