import { describe, expect, it } from 'vitest';
import { columnNames } from '#shared/core/collector/compiled-collector.ts';
import {
  EXCLUSIVE_SELECT,
  filterType,
  GROUPS_ALONE,
  invalidLimit,
  MISSING,
  NO_COLUMN,
  NO_EXPRESSION,
  REMEDIES,
  repeatedName,
  SUBJECT_OF_COUNT,
} from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { Compilation } from '#shared/core/expression/expression.ts';
import { undeclaredReference } from '#shared/core/expression/messages.ts';
import {
  misspeltField,
  NO_LIST,
  NO_OBJECT,
  NO_STRING,
  noneOf,
  unknownField,
} from '#shared/core/field-messages.ts';
import { Float, type JsonValue } from '#shared/core/json.ts';

function errorsOf(spec: JsonValue | undefined): readonly string[] {
  const compilation = compileStatusCollector(spec);
  return compilation.ok ? [] : compilation.errors;
}

const count = { name: 'count', type: 'COUNT' };
const wec = { name: 'wec', def: 'inventory.name' };

describe('a valid StatusCollector', () => {
  it.each<[string, JsonValue, readonly string[]]>([
    ['selects', { select: [wec, { name: 'status', def: 'returned.status' }] }, ['wec', 'status']],
    ['counts', { combinedFields: [count] }, ['count']],
    [
      'groups',
      {
        filter: 'true',
        groupBy: [{ name: 'phase', def: 'returned.status.phase' }],
        combinedFields: [count, { name: 'sum', type: 'SUM', subject: 'returned.status.replicas' }],
      },
      ['phase', 'count', 'sum'],
    ],
  ])('that %s has its columns in the order of the spec', (_form, spec, names) => {
    const compilation = compileStatusCollector(spec);
    expect(compilation.ok && columnNames(compilation.collector)).toEqual(names);
  });

  it.each<[string, JsonValue, number]>([
    ['20 when it is absent', {}, 20],
    ['20 when it is null', { limit: null }, 20],
    ['20 when it is 0, as a Go client writes what was not given', { limit: 0 }, 20],
    ['what it says', { limit: 7 }, 7],
    ['what it says beyond 2^53', { limit: 9223372036854775807n }, 2 ** 63],
  ])('has the limit %s', (_case, members, limit) => {
    const compilation = compileStatusCollector({ select: [wec], ...(members as object) });
    expect(compilation).toMatchObject({ ok: true, collector: { limit } });
  });

  it.each<[string, JsonValue]>([
    ['bool', 'obj.spec.replicas == 1'],
    ['dyn', 'returned.status.ready'],
    ['null', 'null'],
  ])('may have a filter of type %s', (type, filter) => {
    expect(compileStatusCollector({ filter, select: [wec] })).toMatchObject({
      ok: true,
      collector: { filter: { type } },
    });
  });

  it.each([
    ['absent', {}],
    ['null', { filter: null, groupBy: null, combinedFields: null }],
    ['empty', { filter: '', groupBy: [], combinedFields: [] }],
  ])('may have members that are %s', (_case, members) => {
    const compilation = compileStatusCollector({ select: [wec], ...members });
    expect(compilation).toMatchObject({ ok: true, collector: { kind: 'select' } });
    expect(compilation.ok && compilation.collector.filter).toBe(undefined);
  });

  it('may have its name in the spec, as in the first proposal', () => {
    expect(errorsOf({ name: 'totals', select: [wec] })).toEqual([]);
  });

  it('is compiled by the given compiler', () => {
    const texts: string[] = [];
    const compileText = (text: string): Compilation => {
      texts.push(text);
      return { ok: false, errors: [], patternsSize: 0 };
    };
    compileStatusCollector({ filter: 'f', select: [{ name: 'a', def: 'd' }] }, compileText);
    expect(texts).toEqual(['f', 'd']);
  });
});

describe('a StatusCollector against the structural rules', () => {
  it.each<[string, JsonValue | undefined, readonly string[]]>([
    ['a spec that is no object', 'x', [`spec: ${NO_OBJECT}`]],
    ['an absent spec', undefined, [`spec: ${NO_OBJECT}`]],
    ['no output column', { filter: 'true' }, [`spec: ${NO_COLUMN}`]],
    [
      'select beside combinedFields',
      { select: [wec], combinedFields: [count] },
      [`spec.select: ${EXCLUSIVE_SELECT}`],
    ],
    [
      'select beside groupBy',
      { select: [wec], groupBy: [{ name: 'g', def: 'obj' }] },
      [`spec.select: ${EXCLUSIVE_SELECT}`, `spec.groupBy: ${GROUPS_ALONE}`],
    ],
    [
      'groupBy without combinedFields',
      { groupBy: [{ name: 'g', def: 'obj' }] },
      [`spec.groupBy: ${GROUPS_ALONE}`],
    ],
    [
      'COUNT with a subject',
      { combinedFields: [{ ...count, subject: 'obj' }] },
      [`spec.combinedFields[0].subject: ${SUBJECT_OF_COUNT}`],
    ],
    [
      'another aggregation without a subject',
      { combinedFields: [count, { name: 'sum', type: 'SUM' }] },
      [`spec.combinedFields[1].subject: ${MISSING}`],
    ],
    [
      'an unknown aggregation',
      { combinedFields: [{ name: 'median', type: 'MEDIAN', subject: 'obj' }] },
      [`spec.combinedFields[0].type: ${noneOf('COUNT, SUM, AVG, MIN, MAX')}`],
    ],
    [
      'empty names and definitions',
      { select: [{ name: '', def: '' }] },
      [`spec.select[0].name: ${MISSING}`, `spec.select[0].def: ${MISSING}`],
    ],
    [
      'the same name in two lists',
      { groupBy: [{ name: 'n', def: 'obj' }], combinedFields: [{ ...count, name: 'n' }] },
      [`spec.combinedFields[0].name: ${repeatedName('n', 'spec.groupBy[0].name')}`],
    ],
    [
      'the same name three times',
      { select: [wec, wec, wec] },
      [
        `spec.select[1].name: ${repeatedName('wec', 'spec.select[0].name')}`,
        `spec.select[2].name: ${repeatedName('wec', 'spec.select[0].name')}`,
      ],
    ],
    [
      'wrong JSON types',
      { filter: true, select: 'x', groupBy: {}, combinedFields: ['x'], limit: '5' },
      [
        `spec.filter: ${NO_EXPRESSION}`,
        `spec.select: ${NO_LIST}`,
        `spec.groupBy: ${NO_LIST}`,
        `spec.combinedFields[0]: ${NO_OBJECT}`,
        `spec.limit: ${invalidLimit(20)}`,
      ],
    ],
    [
      'wrong JSON types in entries',
      { select: [{ name: 1, def: 1 }], groupBy: [{ name: 'g', def: [] }] },
      [
        `spec.select[0].name: ${NO_STRING}`,
        `spec.select[0].def: ${NO_EXPRESSION}`,
        `spec.groupBy[0].def: ${NO_EXPRESSION}`,
      ],
    ],
    [
      'fields that are spelt otherwise',
      {
        limits: 3,
        select: [{ ...wec, defs: 'x' }],
        groupBy: [{ name: 'g', def: 'obj', subject: 'obj' }],
        combinedFields: [{ ...count, subjects: 'obj' }],
      },
      [
        `spec.limits: ${misspeltField('limit')}`,
        `spec.select[0].defs: ${misspeltField('def')}`,
        `spec.groupBy[0].subject: ${unknownField('name, def')}`,
        `spec.combinedFields[0].subjects: ${misspeltField('subject')}`,
      ],
    ],
    [
      'a selection that is one named expression, not a list of them',
      { select: { name: 'wec', def: 'inventory.name' } },
      [`spec.select: ${NO_LIST}`],
    ],
  ])('is rejected for %s', (_case, spec, errors) => {
    expect(errorsOf(spec)).toEqual(errors);
  });

  it.each<JsonValue>([-1, 1.5, new Float(3), -9223372036854775808n, false])(
    'is rejected for the limit %s',
    (limit) => {
      expect(errorsOf({ select: [wec], limit })).toEqual([`spec.limit: ${invalidLimit(20)}`]);
    },
  );

  it('reports only structural errors', () => {
    expect(errorsOf({ filter: '1 +', select: [{ name: 'a', def: 'foo' }], limit: -1 })).toEqual([
      `spec.limit: ${invalidLimit(20)}`,
    ]);
  });
});

describe('a StatusCollector with expressions that cannot be used', () => {
  it('is rejected with the field, position and remedy of every error', () => {
    expect(
      errorsOf({
        filter: 'returned.status.phase == ',
        groupBy: [{ name: 'g', def: 'obj.spec.n + foo' }],
        combinedFields: [count, { name: 'sum', type: 'SUM', subject: '1 == "a" || bar' }],
      }),
    ).toEqual([
      expect.stringMatching(/^spec\.filter, line 1, column \d+: .+; write an expression of the /),
      `spec.groupBy[0].def, line 1, column 14: ${undeclaredReference('foo')}; ${REMEDIES['undeclared-reference']}`,
      expect.stringMatching(
        /^spec\.combinedFields\[1\]\.subject, line 1, column \d+: found no matching overload .+; convert one side/,
      ),
      expect.stringMatching(/^spec\.combinedFields\[1\]\.subject, line 1, column 13: undeclared /),
    ]);
  });

  it('is rejected for a select column by its index', () => {
    expect(errorsOf({ select: [wec, { name: 'b', def: 'foo' }] })).toEqual([
      expect.stringMatching(/^spec\.select\[1\]\.def, line 1, column 1: undeclared reference/),
    ]);
  });

  it.each([
    ['1', 'int'],
    ['inventory.name', 'string'],
    ['[true]', 'list(bool)'],
  ])('is rejected for the filter %s, which is never a bool', (filter, type) => {
    expect(errorsOf({ filter, select: [wec] })).toEqual([
      `spec.filter, line 1, column 1: ${filterType(type)}`,
    ]);
  });
});
