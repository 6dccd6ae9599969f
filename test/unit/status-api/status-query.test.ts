import { describe, expect, it } from 'vitest';
import {
  misspeltField,
  NO_FLAG,
  NO_OBJECT,
  NO_STRING,
  noObjectWith,
  unknownField,
} from '#shared/core/field-messages.ts';
import type { JsonValue } from '#shared/core/json.ts';
import { longAnswer } from '#shared/core/status-api/messages.ts';
import { readNamedWorkloads, readStatusQuery } from '#shared/core/status-api/status-query.ts';

const SELECT = { select: [{ name: 'a', def: '1' }] };
const MEMBERS = 'resource, group, name, labelSelector';

function faults(spec: JsonValue, isNamespaced = true): readonly string[] {
  const reading = readStatusQuery({ spec }, isNamespaced);
  return reading.ok ? [] : reading.faults.map(({ field, message }) => `${field}: ${message}`);
}

function query(spec: JsonValue, isNamespaced = true) {
  const reading = readStatusQuery({ spec }, isNamespaced);
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  return reading.query;
}

describe('the names of the objects of a query', () => {
  it('are any without a spec', () => {
    expect(readNamedWorkloads({}, true)).toEqual({ allNamespaces: false });
  });

  it('are read without what is not valid', () => {
    const workloads = { group: 'apps', name: 1, labelSelector: 'app', other: true };
    const spec = { filter: '1 +', workloads: { ...workloads, allNamespaces: true } };
    expect(readNamedWorkloads({ spec }, false)).toEqual({ group: 'apps', allNamespaces: true });
  });
});

describe('a StatusQuery', () => {
  it('has 500 rows in an answer unless it says otherwise', () => {
    expect(query(SELECT).collector.limit).toBe(500);
    expect(query({ ...SELECT, limit: 0 }).collector.limit).toBe(500);
    expect(query({ ...SELECT, limit: 10_000 }).collector.limit).toBe(10_000);
  });

  it('is about every object unless it says otherwise', () => {
    const { workloads } = query({ ...SELECT, workloads: null, continue: '' });
    expect(workloads).toMatchObject({ allNamespaces: false });
    expect(workloads.matches({})).toBe(true);
    expect(
      query({ ...SELECT, workloads: { resource: '', group: '', name: null } }).workloads,
    ).toEqual({ group: '', allNamespaces: false, matches: expect.any(Function) });
  });

  it('has labels of objects', () => {
    const labelSelector = { matchLabels: { app: 'web' } };
    const { matches } = query({ ...SELECT, workloads: { labelSelector } }).workloads;
    expect([matches({ app: 'web' }), matches({ app: 'api' })]).toEqual([true, false]);
  });

  it('is about all namespaces only if it has none itself', () => {
    const workloads = { allNamespaces: true };
    expect(query({ ...SELECT, workloads }, false).workloads.allNamespaces).toBe(true);
    expect(
      query({ ...SELECT, workloads: { allNamespaces: false } }, false).workloads,
    ).toMatchObject({
      allNamespaces: false,
    });
    expect(faults({ ...SELECT, workloads })).toEqual([
      `spec.workloads.allNamespaces: ${unknownField(MEMBERS)}`,
    ]);
    expect(faults({ ...SELECT, workloads: { allNamespaces: 1 } }, false)).toEqual([
      `spec.workloads.allNamespaces: ${NO_FLAG}`,
    ]);
  });

  it('may be written in the older form, with a name', () => {
    const select = { op: 'Path', path: '$.status.phase' };
    expect(query({ name: 'phases', select }).collector).toMatchObject({
      columns: [{ name: 'phase' }],
    });
  });

  it.each<[string, JsonValue, string]>([
    ['a spec', [], `spec: ${NO_OBJECT}`],
    ['a limit', { ...SELECT, limit: 10_001 }, `spec.limit: ${longAnswer(10_001, 10_000)}`],
    ['a filter', { ...SELECT, filtre: '' }, `spec.filtre: ${misspeltField('filter')}`],
    [
      'a column',
      { select: [{ name: 'a', def: '1', 'd-f': '2' }] },
      'spec: spec.select[0].d-f: unknown field; ',
    ],
    ['a continuation', { ...SELECT, continue: 7 }, `spec.continue: ${NO_STRING}`],
    ['workloads', { ...SELECT, workloads: 'all' }, `spec.workloads: ${noObjectWith(MEMBERS)}`],
    ['a name', { ...SELECT, workloads: { name: 1 } }, `spec.workloads.name: ${NO_STRING}`],
    [
      'a selector',
      { ...SELECT, workloads: { labelSelector: 'a=b' } },
      'spec.workloads.labelSelector: ',
    ],
    ['the older form', { select: { op: 'Not', args: [] } }, 'spec.select.args: '],
    [
      'the older form as CEL',
      { ...SELECT, filter: { op: 'Equal', args: ['a', 1] } },
      'spec.filter.args[0]',
    ],
  ])('that has another form of %s is invalid', (_what, spec, message) => {
    expect(faults(spec)[0]).toContain(message);
  });

  it('has no member beside its spec that is not known', () => {
    const reading = readStatusQuery({ spec: SELECT, limit: 3 }, true);
    expect(reading).toMatchObject({ ok: false, faults: [{ field: 'limit' }] });
    expect(readStatusQuery({ spec: SELECT, status: {}, metadata: {} }, true).ok).toBe(true);
    expect(readStatusQuery({}, true)).toMatchObject({
      ok: false,
      faults: [{ field: 'spec', message: 'has no output column; add select or combinedFields' }],
    });
  });
});
