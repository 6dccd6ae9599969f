import { compareText } from '#shared/core/collector/first-entries.ts';
import type { Value } from '#shared/core/collector/value.ts';
import { isArray, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import {
  type AnsweredGroup,
  type GroupColumn,
  mergeGroups,
} from '#shared/core/status-api/merge-groups.ts';
import { PART_OF_GROUPS } from '#shared/core/status-api/messages.ts';
import { priceOf, type QueryPrice, sumPrices } from '#shared/core/status-api/query-price.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';

/** A row of a result: what one WEC says of one object, or a group. */
export interface ResultRow {
  /** Different for each row, and the same in the next result. */
  readonly key: string;
  readonly cells: readonly Value[];
  /** Absent for a group. */
  readonly of?: {
    readonly workload: WorkloadName & { readonly kind: string };
    readonly wec: string;
  };
  /** How many rows a group has. */
  readonly count?: number;
}

/** What all answers to a query so far have. */
export interface QueryResult {
  readonly names: readonly string[];
  /** What the columns of groups are. Undefined for rows. */
  readonly columns: readonly GroupColumn[] | undefined;
  readonly rows: readonly ResultRow[];
  readonly errors: readonly JsonValue[];
  readonly price: QueryPrice | undefined;
  /** Where the next answer begins. Absent: there are no more rows. */
  readonly next?: string;
  readonly answers: number;
}

function listOf(status: JsonObject, key: string): readonly JsonValue[] {
  const list = status[key];
  return isArray(list) ? list : [];
}

/** A group, or a row, as the API answers (docs/api.md, "statusqueries"). */
type AnsweredRow = Omit<AnsweredGroup, 'count'> &
  Partial<AnsweredGroup> &
  Partial<NonNullable<ResultRow['of']>>;

function rowOf({ workload, wec, columns, count }: AnsweredRow, keys: number): ResultRow {
  if (workload === undefined || wec === undefined)
    return {
      ...{ key: stringifyJson(columns.slice(0, keys) as unknown as JsonValue), cells: columns },
      ...(count === undefined ? {} : { count }),
    };
  const { group, resource, namespace, name } = workload;
  const key = `${resource}.${group}/${namespace}/${name}/${wec}`;
  return { key, cells: columns, of: { workload, wec } };
}

function groupsOf(rows: readonly ResultRow[]): readonly AnsweredGroup[] {
  return rows.map(({ cells, count = 0 }) => ({ columns: cells, count }));
}

/**
 * What an answer adds to those before it. Groups are merged, as each answer has those of its rows.
 *
 * @param answer a StatusQuery or ClusterStatusQuery, as the API answers
 */
export function resultWith(
  before: QueryResult | undefined,
  answer: JsonObject,
  columns: readonly GroupColumn[] | undefined,
): QueryResult {
  const status = answer['status'] as JsonObject; // every answer has it
  const keys = columns?.filter((column) => column === 'key').length ?? 0;
  const answered = listOf(status, 'rows') as unknown as readonly AnsweredRow[];
  const fresh = answered.map((row) => rowOf(row, keys));
  const rows =
    before === undefined || columns === undefined
      ? [...(before?.rows ?? []), ...fresh]
      : mergeGroups(columns, groupsOf([...before.rows, ...fresh])).map((row) => rowOf(row, keys));
  const next = status['continue'];
  const price = priceOf(answer);
  return {
    names: listOf(status, 'columnNames').map(String),
    ...{ columns, rows },
    errors: [
      ...(before?.errors ?? []),
      ...listOf(status, 'errors').filter((error) => !isOfPart(error)),
    ],
    price: before === undefined ? price : sumPrices(before.price, price),
    ...(typeof next === 'string' && next !== '' ? { next } : {}),
    answers: (before?.answers ?? 0) + 1,
  };
}

/** The keys of the rows that were there before and say something else now. */
export function changedRows(
  before: QueryResult | undefined,
  { rows }: Pick<QueryResult, 'rows'>,
): readonly string[] {
  const said = new Map(before?.rows.map(({ key, cells }) => [key, cells]));
  return rows.flatMap(({ key, cells }) => {
    const known = said.get(key);
    return known === undefined || textOf(known) === textOf(cells) ? [] : [key];
  });
}

function textOf(cells: readonly Value[]): string {
  return stringifyJson(cells as unknown as JsonValue);
}

/** Whether an error only says that the groups of one answer are to be merged, which is done here. */
function isOfPart(error: JsonValue): boolean {
  const text = (error as JsonObject)['error']; // every error is an object
  return typeof text === 'string' && text.startsWith(PART_OF_GROUPS);
}

/** A cell as text. Null is nothing. */
export function cellText(cell: Value | undefined): string {
  switch (cell?.type) {
    case undefined:
    case 'Null':
      return '';
    case 'String':
      return cell.string;
    case 'Number':
      return cell.float;
    case 'Bool':
      return String(cell.bool);
    case 'Object':
      return stringifyJson(cell.object);
    case 'Array':
      return stringifyJson(cell.array);
  }
}

/** The number of a cell. Undefined if it is none, or NaN. */
export function cellNumber(cell: Value | undefined): number | undefined {
  if (cell?.type !== 'Number') return undefined;
  const number = Number(cell.float.replace('Inf', 'Infinity'));
  return Number.isNaN(number) ? undefined : number;
}

/** Whether a column has numbers, and nothing else but nulls. */
export function isNumeric(rows: readonly ResultRow[], column: number): boolean {
  const cells = rows.flatMap(({ cells: all }) => all[column] ?? []);
  const types = new Set(cells.map(({ type }) => type));
  return types.has('Number') && types.size === (types.has('Null') ? 2 : 1);
}

/** By which column a result is sorted. */
export interface ResultSort {
  /** The number of the column; -2 for the object, -1 for the WEC. */
  readonly column: number;
  readonly isReverse: boolean;
}

export const OBJECT_COLUMN = -2;
export const WEC_COLUMN = -1;

const NAMED_COLUMNS: ReadonlyMap<string, number> = new Map([
  ['object', OBJECT_COLUMN],
  ['wec', WEC_COLUMN],
]);

/** An order as the parameter of an address: `wec`, `0` for the first column, `-0` for the other way round. */
export function sortText({ column, isReverse }: ResultSort): string {
  const [name = String(column)] = [...NAMED_COLUMNS].find(([, number]) => number === column) ?? [];
  return `${isReverse ? '-' : ''}${name}`;
}

/** The inverse of {@link sortText}. Undefined for any other text. */
export function parseResultSort(text: string | undefined): ResultSort | undefined {
  const [, sign, name = ''] = /^(-?)(object|wec|\d{1,3})$/.exec(text ?? '') ?? [];
  if (sign === undefined) return undefined;
  return { column: NAMED_COLUMNS.get(name) ?? Number(name), isReverse: sign === '-' };
}

function headText({ of }: ResultRow, column: number): string {
  if (of === undefined) return '';
  return column === WEC_COLUMN ? of.wec : `${of.workload.namespace}/${of.workload.name}`;
}

function compareCells(a: Value | undefined, b: Value | undefined): number {
  const [x, y] = [cellNumber(a), cellNumber(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : Number(x > y);
  // Numbers come first.
  if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
  return compareText(cellText(a), cellText(b));
}

function isNothing(cell: Value | undefined): boolean {
  return cell === undefined || cell.type === 'Null';
}

/** Rows in the order of a column. What has no value there is last, in both directions. */
export function sortResult(
  rows: readonly ResultRow[],
  sort: ResultSort | undefined,
): readonly ResultRow[] {
  if (sort === undefined) return rows;
  const { column, isReverse } = sort;
  const sign = isReverse ? -1 : 1;
  if (column < 0)
    return rows.toSorted((a, b) => sign * compareText(headText(a, column), headText(b, column)));
  return rows.toSorted((a, b) => {
    const [x, y] = [a.cells[column], b.cells[column]];
    const nothing = Number(isNothing(x)) - Number(isNothing(y));
    return nothing === 0 ? sign * compareCells(x, y) : nothing;
  });
}

/** The order after a click on the head of a column: by it, the other way round, and as it was answered. */
export function nextSort(sort: ResultSort | undefined, column: number): ResultSort | undefined {
  if (sort?.column !== column) return { column, isReverse: false };
  return sort.isReverse ? undefined : { column, isReverse: true };
}
