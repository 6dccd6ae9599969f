import { describe, expect, it } from 'vitest';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { NO_VALUES } from '#shared/core/collector/messages.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import {
  MAX_CELL_BYTES,
  MAX_COMBINED_STATUS_BYTES,
  MAX_QUERY_STEPS,
  QUERY_BYTES_OF_STEP,
  QUERY_ROW_STEPS,
} from '#shared/core/limits.ts';
import { groupsLeftOut, partOfGroups } from '#shared/core/status-api/messages.ts';
import type { QueriedRow } from '#shared/core/status-api/status-query.ts';
import { StatusQueryRun } from '#shared/core/status-api/status-query-run.ts';

const WEB = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

function collector(spec: JsonObject): CompiledCollector {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join());
  return compilation.collector;
}

function row(wec: string, status: JsonObject, bytes = 0): QueriedRow {
  const activation = { inventory: { name: wec }, obj: {}, returned: status, propagation: {} };
  return { workload: WEB, kind: 'Deployment', row: { wec, activation }, bytes, position: wec };
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** Texts of 1 to `count` columns with the same text. */
function texts(count: number, limit = 1_000): CompiledCollector {
  const select = Array.from({ length: count }, (_, index) => ({
    name: `c${index}`,
    def: 'returned.status.text',
  }));
  return collector({ select, limit });
}

describe('an answer to a query', () => {
  it('ends when its price is used up, and has at least one row', () => {
    const run = new StatusQueryRun(texts(1));
    expect(run.position).toBeUndefined();
    expect(run.take(row('a', { text: '' }, MAX_QUERY_STEPS * QUERY_BYTES_OF_STEP))).toBe(true);
    expect(run.steps).toBeGreaterThan(MAX_QUERY_STEPS);
    expect(run.take(row('b', { text: '' }))).toBe(false);
    expect(run.position).toBe('a');
    expect(list(run.status(false)['rows'])).toHaveLength(1);
  });

  it('pays for reading a row and for its expressions', () => {
    const run = new StatusQueryRun(texts(1));
    run.take(row('a', { text: 'x' }, QUERY_BYTES_OF_STEP * 10));
    const once = run.steps;
    expect(once).toBeGreaterThan(QUERY_ROW_STEPS + 10);
    expect(once).toBeLessThan(QUERY_ROW_STEPS + 20);
    run.take(row('b', {}, 0));
    expect(run.steps).toBeLessThan(2 * once);
  });

  it('says what was read, what it took, and what the dearest row took', () => {
    const run = new StatusQueryRun(collector({ select: [{ name: 'v', def: '[1, 2].map(i, i)' }] }));
    const cheap = new StatusQueryRun(
      collector({ filter: 'false', select: [{ name: 'v', def: '1' }] }),
    );
    for (const one of [run, cheap]) {
      one.take(row('a', {}));
      one.take(row('b', {}));
      const price = one.status(true)['price'];
      const rowSteps = Number(at(price, 'rowSteps'));
      expect(price).toEqual({ rows: 2, steps: 2 * (QUERY_ROW_STEPS + rowSteps), rowSteps });
    }
    expect(at(run.status(true), 'price', 'rowSteps')).toBeGreaterThan(
      Number(at(cheap.status(true), 'price', 'rowSteps')),
    );
  });

  it('ends before a row with which it would be too large, whose errors are in the next answer', () => {
    const text = 'x'.repeat(MAX_CELL_BYTES - 100);
    const select = ['text', 'none'].map((name) => ({ name, def: `returned.status.${name}` }));
    const run = new StatusQueryRun(collector({ select, limit: 100 }));
    const taken = ['a', 'b', 'c', 'd', 'e'].map((wec) => run.take(row(wec, { text })));
    expect(taken).toEqual([true, true, true, false, false]);
    const status = run.status(false);
    expect(run.position).toBe('c');
    expect(list(status['errors'])).toHaveLength(3);
    expect(jsonBytes(status)).toBeLessThan(MAX_COMBINED_STATUS_BYTES + 10_000);
  });

  it('holds any row, because a row pays for its bytes', () => {
    const run = new StatusQueryRun(texts(100));
    expect(run.take(row('a', { text: 'x'.repeat(MAX_CELL_BYTES - 100) }))).toBe(true);
    const status = run.status(true);
    expect(list(status['rows'])).toHaveLength(1);
    expect(list(status['errors'])).toHaveLength(98);
    expect(jsonBytes(list(status['rows'])[0] ?? null)).toBeLessThan(MAX_COMBINED_STATUS_BYTES);
  });

  it('keeps the errors of the first rows, and counts the others', () => {
    const run = new StatusQueryRun(texts(1, 10_000));
    for (let index = 0; index < 250; index += 1) run.take(row(`wec-${250 - index}`, {}));
    const errors = list(run.status(true)['errors']);
    expect(errors).toHaveLength(100);
    expect(at(errors[0], 'wec')).toBe('wec-250');
    expect(at(errors.at(-1), 'error')).toContain(
      '(and 150 more WECs have an error in this column)',
    );
  });

  it('without a row that passes says what aggregates are then', () => {
    const combinedFields = [
      { name: 'count', type: 'COUNT' },
      { name: 'mean', type: 'AVG', subject: '1' },
    ];
    const run = new StatusQueryRun(collector({ filter: 'false', combinedFields }));
    run.take(row('a', {}));
    expect(run.status(true)).toEqual({
      columnNames: ['count', 'mean'],
      rows: [
        {
          columns: [
            { type: 'Number', float: '0' },
            { type: 'Number', float: 'NaN' },
          ],
          count: 0,
        },
      ],
      price: { rows: 1, steps: run.steps, rowSteps: 1 },
      errors: [{ columnName: 'mean', error: NO_VALUES }],
    });
  });

  const groups = {
    groupBy: [{ name: 'text', def: 'returned.status.text' }],
    combinedFields: [{ name: 'count', type: 'COUNT' }],
  };

  it('says that there are more groups than its limit', () => {
    const run = new StatusQueryRun(collector({ ...groups, limit: 2 }));
    for (const text of ['c', 'a', 'b', 'a']) run.take(row(text, { text }));
    const status = run.status(true);
    expect(list(status['rows']).map((one) => at(one, 'count'))).toEqual([2, 1]);
    expect(status['errors']).toEqual([{ error: groupsLeftOut(2) }]);
  });

  it('says that the groups take too much', () => {
    const run = new StatusQueryRun(collector({ ...groups, limit: 100 }));
    for (const text of ['a', 'b', 'c', 'd', 'e'])
      run.take(row(text, { text: text.repeat(MAX_CELL_BYTES - 100) }));
    const status = run.status(true);
    expect(list(status['rows'])).toHaveLength(3);
    expect(at(list(status['errors'])[0], 'error')).toBe(groupsLeftOut(3));
  });

  it.each([
    ['is not the last', false, false],
    ['is not the first', true, true],
  ])('that %s says that its groups are those of its rows', (_what, isContinued, isEnd) => {
    const run = new StatusQueryRun(collector(groups), isContinued);
    run.take(row('a', { text: 'a' }));
    expect(run.status(isEnd)['errors']).toEqual([{ error: partOfGroups(1) }]);
  });
});
