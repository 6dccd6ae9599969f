import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import type {
  AggregateCollector,
  CollectorRow,
  CompiledCollector,
} from '#shared/core/collector/compiled-collector.ts';
import type { Value } from '#shared/core/collector/value.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { type AnsweredGroup, mergeGroups } from '#shared/core/status-api/merge-groups.ts';
import type { QueriedRow } from '#shared/core/status-api/status-query.ts';
import { StatusQueryRun } from '#shared/core/status-api/status-query-run.ts';
import {
  aggregateCollector,
  collectorRow,
  groupCollector,
  selectCollector,
} from '#test/property/collector/arbitraries.ts';
import { expressionValue } from '#test/property/collector/field-program.ts';

const WEB = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
const table = fc
  .uniqueArray(collectorRow, { maxLength: 30, selector: ({ wec }) => wec })
  .map((rows) => rows.toSorted((a, b) => (a.wec < b.wec ? -1 : 1)));
const ALL = 1_000;
const LARGE = 1_000_000;

function queried(row: CollectorRow): QueriedRow {
  return { workload: WEB, kind: 'Deployment', row, bytes: 100, position: row.wec };
}

interface Page {
  readonly status: JsonObject;
  readonly rest: readonly CollectorRow[];
}

/** One answer of at most so many rows. */
function page(collector: CompiledCollector, rows: readonly CollectorRow[], most = ALL): Page {
  const run = new StatusQueryRun(collector);
  let taken = 0;
  for (const row of rows.slice(0, most)) {
    if (!run.take(queried(row))) break;
    taken += 1;
    expect(run.position).toBe(row.wec);
  }
  const rest = rows.slice(taken);
  return { status: run.status(rest.length === 0), rest };
}

/** The answers to a query, each of at most so many rows. */
function pages(
  collector: CompiledCollector,
  rows: readonly CollectorRow[],
  most: number,
): readonly JsonObject[] {
  const found: JsonObject[] = [];
  let rest = rows;
  do {
    const next = page(collector, rest, most);
    found.push(next.status);
    rest = next.rest;
  } while (rest.length > 0);
  return found;
}

function listed(status: JsonObject, key: string): readonly JsonValue[] {
  const list = status[key];
  return isArray(list) ? list : [];
}

function whole(collector: CompiledCollector, rows: readonly CollectorRow[]) {
  const fold = collectorFold(collector);
  return fold.finish(foldRows(fold, rows));
}

/** The errors of rows, without those about the whole answer. */
function rowErrors(statuses: readonly JsonObject[]): readonly string[] {
  const errors = statuses.flatMap((status) => listed(status, 'errors'));
  return errors
    .filter((error) => at(error, 'wec') !== undefined)
    .map((error) => `${at(error, 'wec')} ${at(error, 'columnName')} ${at(error, 'error')}`)
    .sort();
}

function textsOf(errors: ReturnType<typeof whole>['rowErrors']): readonly string[] {
  return errors.map(({ wec, columnName, error }) => `${wec} ${columnName} ${error}`).sort();
}

describe('all answers to a query', () => {
  it('have the rows and errors of the CombinedStatus without its limit, for a selection', () => {
    fc.assert(
      fc.property(
        selectCollector,
        table,
        fc.integer({ min: 1, max: 40 }),
        (collector, rows, most) => {
          const all = pages(collector, rows, most);
          for (const status of all)
            expect(listed(status, 'rows').length).toBeLessThanOrEqual(collector.limit);
          const {
            columnNames,
            rows: expected,
            rowErrors: errors,
          } = whole({ ...collector, limit: ALL }, rows);
          const columns = all.flatMap((status) =>
            listed(status, 'rows').map((row) => at(row, 'columns')),
          );
          expect(columns).toEqual(expected);
          expect(all[0]?.['columnNames']).toEqual(columnNames);
          expect(rowErrors(all)).toEqual(textsOf(errors));
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['an aggregation without GROUP BY', aggregateCollector],
    ['an aggregation with GROUP BY', groupCollector],
  ])('have the rows of the CombinedStatus, for %s in one answer', (_form, collectors) => {
    fc.assert(
      fc.property(collectors, table, (collector, rows) => {
        const { status } = page(collector, rows);
        const columns = listed(status, 'rows').map((row) => at(row, 'columns'));
        expect(columns).toEqual(whole(collector, rows).rows);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['an aggregation without GROUP BY', aggregateCollector],
    ['an aggregation with GROUP BY', groupCollector],
  ])('have the errors of the CombinedStatus, for %s in one answer', (_form, collectors) => {
    fc.assert(
      fc.property(collectors, table, (limited, rows) => {
        const collector = { ...limited, limit: ALL };
        const { status } = page(collector, rows);
        const expected = whole(collector, rows);
        const conversions = expected.conversionErrors.map(({ columnName, error }) => {
          const [, wec = '', text = ''] = /^WEC ([^:]+): (.*)$/s.exec(error) ?? [];
          return { wec, columnName, error: text };
        });
        const errors = textsOf([...expected.rowErrors, ...conversions]);
        expect(rowErrors([status])).toEqual(errors);
        const isOfNone = at(listed(status, 'rows')[0], 'count') === 0;
        const others = listed(status, 'errors').filter((error) => at(error, 'wec') === undefined);
        expect(others).toEqual(isOfNone ? expected.aggregationErrors : []);
      }),
      { numRuns: 500 },
    );
  });

  it('can be merged, if the groups of each are of other rows', () => {
    fc.assert(
      fc.property(
        groupCollector,
        table.map((rows) => rows.filter(isSmall)),
        fc.integer({ min: 1, max: 20 }),
        (limited, rows, most) => {
          const collector: AggregateCollector = { ...limited, limit: ALL };
          const columns = [
            ...collector.groupBy.map(() => 'key' as const),
            ...collector.combinedFields.map(({ type }) => type),
          ];
          const groups = pages(collector, rows, most).flatMap((status) =>
            listed(status, 'rows'),
          ) as unknown as readonly AnsweredGroup[];
          const merged = mergeGroups(columns, groups);
          const expected = whole(collector, rows);
          expect(
            merged.map((group) =>
              group.columns.map((cell, index) => rounded(cell, columns[index])),
            ),
          ).toEqual(
            expected.rows.map((row) => row.map((cell, index) => rounded(cell, columns[index]))),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Whether a row has no number that leaves nothing of the digits of others in a sum. */
function isSmall({ activation }: CollectorRow): boolean {
  return ['a', 'b', 'c'].every((field) => {
    const value = expressionValue(member(activation.returned, field) ?? null);
    const isNumber = value.type === 'int' || value.type === 'double';
    return (
      !isNumber || !(Math.abs(Number(value.value)) > LARGE) || !Number.isFinite(Number(value.value))
    );
  });
}

/** A cell, or for a SUM and an AVG with its first digits, because each answer rounds them. */
function rounded(cell: Value, column: string | undefined): unknown {
  if (cell.type !== 'Number' || (column !== 'SUM' && column !== 'AVG')) return cell;
  const value = Number(cell.float.replace('Inf', 'Infinity'));
  return Number(value.toPrecision(9));
}
