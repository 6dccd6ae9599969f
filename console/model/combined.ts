import { labelValue } from '#shared/core/collector/label-value.ts';
import { isArray, type JsonValue, member, stringifyJson, textAt } from '#shared/core/json.ts';
import {
  CONTROL_API_VERSION,
  REPORT_NAMESPACE,
  STATUS_LABEL_PREFIX,
} from '#shared/core/kubestellar.ts';
import type { ApiObject } from './api-objects.ts';
import { groupAndResource, type WorkloadPlace } from './routes.ts';
import { byName } from './wec-row.ts';

/** A CombinedStatus, as the WDS answers. Its content is read with care: others may have written it. */
export interface CombinedStatusObject extends ApiObject {
  readonly results?: JsonValue;
}

/** A value in a table. */
export interface CombinedCell {
  /** `''` for null. */
  readonly text: string;
  readonly isNull: boolean;
  /** Of a Number that is neither infinite nor NaN. */
  readonly number?: number;
}

/** A column of a table. */
export interface CombinedColumn {
  readonly name: string;
  /** Whether all its values are numbers or null, and some are numbers. */
  readonly isNumber: boolean;
}

/** An expression that has failed. */
export interface CombinedError {
  /** Absent for an error of an aggregate. */
  readonly wec?: string;
  /** `''` for the filter, and for the whole result. */
  readonly column: string;
  readonly error: string;
}

/** A row of a histogram. */
export interface CombinedBar {
  readonly label: CombinedCell;
  readonly value: CombinedCell;
  /** Of the largest, from 0 to 1. */
  readonly share: number;
  /** Whether it is the one to look at first: the lowest number, or that with the lowest value. */
  readonly isExtreme: boolean;
}

/** What one StatusCollector has computed for an object and a Binding. */
export interface CombinedTable {
  readonly key: string;
  /** The CombinedStatus: `shop/<name>`. */
  readonly object: string;
  readonly collector: string;
  readonly binding: string;
  readonly columns: readonly CombinedColumn[];
  readonly rows: readonly (readonly CombinedCell[])[];
  readonly errors: readonly CombinedError[];
  /** The rows as a histogram. Absent if they are none. */
  readonly bars?: readonly CombinedBar[];
}

/** The path below which the CombinedStatuses of an object are listed. */
export function combinedPath({ namespace }: WorkloadPlace): string {
  const within = encodeURIComponent(namespace === '' ? REPORT_NAMESPACE : namespace);
  return `/apis/${CONTROL_API_VERSION}/namespaces/${within}/combinedstatuses`;
}

/** The selector of the labels by which KubeStellar finds the CombinedStatuses of an object. */
export function combinedSelector(place: WorkloadPlace): string {
  const { group, resource } = groupAndResource(place);
  const { namespace, name } = place;
  return Object.entries({ 'api-group': group, resource, namespace, name })
    .map(([key, value]) => `${STATUS_LABEL_PREFIX}${key}=${labelValue(value)}`)
    .join(',');
}

function listAt(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const found = member(value, key);
  return isArray(found) ? found : [];
}

function numberCell(text: string): CombinedCell {
  const number = Number(text);
  const isKnown = text !== '' && Number.isFinite(number);
  return { text, isNull: false, ...(isKnown ? { number } : {}) };
}

function cellOf(value: JsonValue | undefined): CombinedCell {
  switch (textAt(value, 'type')) {
    case 'String':
      return { text: textAt(value, 'string'), isNull: false };
    case 'Number':
      return numberCell(textAt(value, 'float'));
    case 'Bool':
      return { text: String(member(value, 'bool') === true), isNull: false };
    case 'Object':
      return { text: stringifyJson(member(value, 'object') ?? {}), isNull: false };
    case 'Array':
      return { text: stringifyJson(member(value, 'array') ?? []), isNull: false };
    default:
      return { text: '', isNull: true };
  }
}

function columnOf(
  name: JsonValue,
  index: number,
  rows: readonly (readonly CombinedCell[])[],
): CombinedColumn {
  const cells = rows.flatMap((row) => row[index] ?? []);
  const isNumber =
    cells.some(({ number }) => number !== undefined) &&
    cells.every(({ number, isNull }) => number !== undefined || isNull);
  return { name: typeof name === 'string' ? name : '', isNumber };
}

function errorsOf(result: JsonValue): readonly CombinedError[] {
  const error = (one: JsonValue): CombinedError => ({
    column: textAt(one, 'columnName'),
    error: textAt(one, 'error'),
  });
  return [
    ...listAt(result, 'rowErrors').map((one) => ({
      ...error(one),
      wec: textAt(one, 'wec', 'clusterId'),
    })),
    ...listAt(result, 'aggregationErrors').map(error),
  ];
}

/** With fewer bars there is nothing to compare, and with more a table is easier to read. */
const [MIN_BARS, MAX_BARS] = [2, 24];

function leastOf(numbers: readonly number[]): number {
  return Math.min(...numbers);
}

/** Two columns, of which the second counts or measures what the first names, are a histogram. */
function barsOf(rows: readonly (readonly CombinedCell[])[]): readonly CombinedBar[] | undefined {
  if (rows.length < MIN_BARS || rows.length > MAX_BARS) return undefined;
  const pairs = rows.flatMap(([label, value, ...more]) =>
    label !== undefined && value?.number !== undefined && value.number >= 0 && more.length === 0
      ? [{ label, value, number: value.number }]
      : [],
  );
  const names = new Set(pairs.map(({ label }) => label.text));
  if (pairs.length < rows.length || names.size < rows.length) return undefined;
  const labels = pairs.flatMap(({ label }) => label.number ?? []);
  const isScale = labels.length === rows.length;
  const rank = (pair: (typeof pairs)[number]): number =>
    isScale ? (pair.label.number ?? 0) : pair.number;
  const least = leastOf(pairs.map(rank));
  const most = Math.max(...pairs.map(({ number }) => number));
  const isAlone = pairs.filter((pair) => rank(pair) === least).length === 1;
  return pairs
    .map((pair) => ({
      label: pair.label,
      value: pair.value,
      share: most === 0 ? 0 : pair.number / most,
      isExtreme: isAlone && rank(pair) === least,
    }))
    .toSorted((a, b) => (isScale ? (a.label.number ?? 0) - (b.label.number ?? 0) : 0));
}

function tableOf({ metadata }: CombinedStatusObject, result: JsonValue): CombinedTable {
  const collector = textAt(result, 'name');
  const rows = listAt(result, 'rows').map((row) => listAt(row, 'columns').map(cellOf));
  const columns = listAt(result, 'columnNames').map((name, index) => columnOf(name, index, rows));
  const bars = columns.length === 2 ? barsOf(rows) : undefined;
  return {
    key: `${metadata.name}/${collector}`,
    object: `${metadata.namespace ?? ''}/${metadata.name}`,
    collector,
    binding: metadata.labels?.[`${STATUS_LABEL_PREFIX}binding-policy`] ?? '',
    columns,
    rows,
    errors: errorsOf(result),
    ...(bars === undefined ? {} : { bars }),
  };
}

/** The tables of a CombinedStatus: one for each StatusCollector. */
export function combinedTables(object: CombinedStatusObject): readonly CombinedTable[] {
  const { results } = object;
  return isArray(results) ? results.map((result) => tableOf(object, result)) : [];
}

/** Tables in the order in which they are shown: by StatusCollector, then by Binding. */
export function inOrder(tables: readonly CombinedTable[]): readonly CombinedTable[] {
  return tables.toSorted(
    (a, b) => byName(a.collector, b.collector) || byName(a.binding, b.binding),
  );
}
