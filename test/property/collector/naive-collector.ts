import type { CollectorResult, ColumnError } from '#shared/core/collector/collector-result.ts';
import type { RowError } from '#shared/core/collector/column-errors.ts';
import type {
  AggregateCollector,
  CollectorRow,
  CombinedField,
  SelectCollector,
} from '#shared/core/collector/compiled-collector.ts';
import {
  compositeKey,
  filterValue,
  moreErrors,
  NO_VALUES,
  notANumber,
} from '#shared/core/collector/messages.ts';
import type { Value } from '#shared/core/collector/value.ts';
import type { ExpressionValue, Program } from '#shared/core/expression/expression.ts';
import { formatDouble } from '#shared/core/expression/number-format.ts';

/** A row on its way through the naive evaluation: what each column gave. */
interface EvaluatedRow {
  readonly wec: string;
  readonly values: readonly (ExpressionValue | undefined)[];
}

/** A plain selection, evaluated over the whole table at once. */
export function naiveSelect(
  collector: SelectCollector,
  rows: readonly CollectorRow[],
): CollectorResult {
  const errors = new NaiveErrors(collector.limit);
  const passing = where(collector.filter, rows, errors);
  const evaluated = passing.map((row) => evaluateRow(row, collector.columns, errors));
  return {
    columnNames: collector.columns.map(({ name }) => name),
    rows: evaluated
      .slice(0, collector.limit)
      .map(({ values }) => values.map((value) => cell(value ?? { type: 'null' }))),
    rowErrors: errors.list(['', ...collector.columns.map(({ name }) => name)]),
    aggregationErrors: [],
    conversionErrors: [],
  };
}

/** An aggregation, evaluated over the whole table at once. */
export function naiveAggregate(
  collector: AggregateCollector,
  rows: readonly CollectorRow[],
): CollectorResult {
  const { groupBy, combinedFields, limit } = collector;
  const errors = new NaiveErrors(limit);
  const subjects = combinedFields.map(({ name, subject }) => ({ name, program: subject }));
  const columns = [...groupBy, ...subjects];
  const evaluated = where(collector.filter, rows, errors)
    .map((row) => evaluateRow(row, columns, errors, groupBy.length))
    .filter(({ values }) => !values.includes(undefined));
  const groups = Map.groupBy(evaluated, ({ values }) =>
    values
      .slice(0, groupBy.length)
      .map((value) => groupText(value))
      .join('\u0000'),
  );
  if (groupBy.length === 0 && groups.size === 0) groups.set('', []);
  const tables = [...groups.values()].toSorted((a, b) => compareRows(a, b, groupBy.length));
  const conversionErrors = naiveConversions(collector, evaluated);
  const averages = combinedFields.filter(({ type }) => type === 'AVG');
  return {
    columnNames: columns.map(({ name }) => name),
    rows: tables
      .slice(0, limit)
      .map((table) => [
        ...(table[0]?.values.slice(0, groupBy.length) ?? []).map((value) => keyCell(value)),
        ...combinedFields.map((field, index) =>
          aggregateCell(field, table, groupBy.length + index),
        ),
      ]),
    rowErrors: errors.list(['', ...columns.map(({ name }) => name)]),
    aggregationErrors:
      groupBy.length === 0 && evaluated.length === 0
        ? averages.map(({ name }) => ({ columnName: name, error: NO_VALUES }))
        : conversionErrors,
    conversionErrors,
  };
}

class NaiveErrors {
  readonly #limit: number;
  readonly #found: RowError[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(wec: string, columnName: string, error: string): undefined {
    this.#found.push({ wec, columnName, error });
    return undefined;
  }

  list(columnNames: readonly string[]): readonly RowError[] {
    return columnNames.flatMap((column) => {
      const all = this.#found
        .filter(({ columnName }) => columnName === column)
        .toSorted((a, b) => (a.wec < b.wec ? -1 : 1));
      const listed = all.slice(0, this.#limit);
      const more = all.length - listed.length;
      return listed.map((error, index) =>
        more > 0 && index === listed.length - 1
          ? { ...error, error: `${error.error} ${moreErrors(more)}` }
          : error,
      );
    });
  }
}

function where(
  filter: Program | undefined,
  rows: readonly CollectorRow[],
  errors: NaiveErrors,
): readonly CollectorRow[] {
  const sorted = rows.toSorted((a, b) => (a.wec < b.wec ? -1 : 1));
  if (filter === undefined) return sorted;
  return sorted.filter(({ wec, activation }) => {
    const outcome = filter.evaluate(activation, { remaining: 1000, exceeded: false });
    if (!outcome.ok) return errors.add(wec, '', outcome.error);
    if (outcome.value.type === 'bool') return outcome.value.value;
    if (outcome.value.type === 'null') return false;
    return errors.add(wec, '', filterValue(outcome.value.type));
  });
}

interface NaiveColumn {
  readonly name: string;
  readonly program: Program | undefined;
}

// biome-ignore lint/complexity/useMaxParams: a test model, not an interface
function evaluateRow(
  { wec, activation }: CollectorRow,
  columns: readonly NaiveColumn[],
  errors: NaiveErrors,
  keys = 0,
): EvaluatedRow {
  const values = columns.map(({ name, program }, index): ExpressionValue | undefined => {
    if (program === undefined) return { type: 'int', value: 1n };
    const outcome = program.evaluate(activation, { remaining: 1000, exceeded: false });
    if (!outcome.ok) return errors.add(wec, name, outcome.error);
    const { type } = outcome.value;
    if (index < keys && (type === 'list' || type === 'map'))
      return errors.add(wec, name, compositeKey(type));
    return outcome.value;
  });
  return { wec, values };
}

function cell(value: ExpressionValue): Value {
  const cells: Readonly<Record<ExpressionValue['type'], () => unknown>> = {
    null: () => ({ type: 'Null' }),
    bool: () => ({ type: 'Bool', bool: inner(value) }),
    string: () => ({ type: 'String', string: inner(value) }),
    int: () => ({ type: 'Number', float: `${inner(value)}` }),
    double: () => ({ type: 'Number', float: formatDouble(Number(inner(value))) }),
    list: () => ({ type: 'Array', array: inner(value) }),
    map: () => ({ type: 'Object', object: inner(value) }),
  };
  // Each entry of the table makes the cell of its type.
  return cells[value.type]() as Value;
}

function inner(value: ExpressionValue): unknown {
  return value.type === 'null' ? null : value.value;
}

/** An integral double is the int of the same value. */
function asInt(value: ExpressionValue): ExpressionValue {
  return value.type === 'double' && Number.isInteger(value.value)
    ? { type: 'int', value: BigInt(value.value) }
    : value;
}

function groupText(value: ExpressionValue | undefined): string {
  const key = asInt(value ?? { type: 'null' });
  return `${key.type === 'int' ? 'double' : key.type} ${inner(key)}`;
}

function keyCell(value: ExpressionValue | undefined): Value {
  const key = asInt(value ?? { type: 'null' });
  const int64 = key.type === 'int' && BigInt.asIntN(64, key.value) === key.value;
  return key.type === 'int' && !int64
    ? cell({ type: 'double', value: Number(key.value) })
    : cell(key);
}

function compareRows(a: readonly EvaluatedRow[], b: readonly EvaluatedRow[], keys: number): number {
  for (let index = 0; index < keys; index += 1) {
    const compared = compareValues(a[0]?.values[index], b[0]?.values[index]);
    if (compared !== 0) return compared;
  }
  return 0;
}

function compareValues(a: ExpressionValue | undefined, b: ExpressionValue | undefined): number {
  const order = ['null', 'bool', 'int', 'double', 'string'];
  const x = asInt(a ?? { type: 'null' });
  const y = asInt(b ?? { type: 'null' });
  const rank = (value: ExpressionValue): number =>
    order.indexOf(value.type === 'double' ? 'int' : value.type);
  if (rank(x) !== rank(y)) return rank(x) - rank(y);
  if (groupText(x) === groupText(y)) return 0;
  const isNaNValue = (value: ExpressionValue): boolean => Number.isNaN(inner(value));
  if (isNaNValue(x)) return 1;
  if (isNaNValue(y)) return -1;
  // What is left are two bools, two strings, or two numbers of any kind, which JavaScript compares exactly.
  return (inner(x) as number) < (inner(y) as number) ? -1 : 1;
}

/** The number of a subject, `undefined` where it is none. Only the texts that the arbitraries make are known. */
function subjectOf(value: ExpressionValue | undefined): number | bigint | undefined {
  const texts: Readonly<Record<string, number>> = {
    5: 5,
    '1e3': 1000,
    NaN: Number.NaN,
    '-Inf': Number.NEGATIVE_INFINITY,
  };
  if (value?.type === 'int' || value?.type === 'double') return value.value;
  return value?.type === 'string' ? texts[value.value] : undefined;
}

function naiveConversions(
  { groupBy, combinedFields }: AggregateCollector,
  rows: readonly EvaluatedRow[],
): readonly ColumnError[] {
  return combinedFields.flatMap(({ name, type }, index) => {
    const column = groupBy.length + index;
    const bad = rows.filter(({ values }) => subjectOf(values[column]) === undefined);
    const first = bad[0];
    if (type === 'COUNT' || first === undefined) return [];
    const value = first.values[column];
    const what =
      value?.type === 'string'
        ? `the string ${JSON.stringify(value.value)}`
        : `a value of type ${value?.type}`;
    const more = bad.length - 1;
    const suffix = more === 0 ? '' : ` ${moreErrors(more)}`;
    const error = `WEC ${first.wec}: ${notANumber(what)}${suffix}`;
    return [{ columnName: name, error }];
  });
}

function aggregateCell(
  { type }: CombinedField,
  rows: readonly EvaluatedRow[],
  column: number,
): Value {
  if (type === 'COUNT') return { type: 'Number', float: String(rows.length) };
  const numbers = rows.map(({ values }) => subjectOf(values[column]) ?? 0);
  const doubles = numbers.map(Number);
  const results = {
    SUM: () => naiveSum(numbers),
    AVG: () => naiveSum(numbers) / rows.length,
    MIN: () => Math.min(...doubles) + 0,
    MAX: () => Math.max(...doubles) + 0,
  };
  return { type: 'Number', float: formatDouble(results[type]()) };
}

/** The sum in units of 2^-1100, where every addend here is an integer, read back from its decimal digits. */
function naiveSum(numbers: readonly (number | bigint)[]): number {
  const odd = numbers.filter((value) => typeof value === 'number' && !Number.isFinite(value));
  if (odd.length > 0) return odd.map(Number).reduce((a, b) => a + b);
  const units = numbers.map(inUnits).reduce((a, b) => a + b, 0n);
  return units === 0n ? 0 : Number(`${units * 5n ** 1100n}e-1100`);
}

function inUnits(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value << 1100n;
  let scale = 0n;
  let scaled = value;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    scale += 1n;
  }
  return BigInt(scaled) << (1100n - scale);
}
