import { cellNumber, cellText, isNumeric, type QueryResult, type ResultRow } from './result.ts';

/** A bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value, as it is written beside the bar. */
  readonly text: string;
}

/** A chart of one column of a result. */
export interface Chart {
  /** `groups`: the column for each group. `counts`: how many rows have each value. */
  readonly type: 'groups' | 'counts';
  readonly bars: readonly Bar[];
  /** The bars that are drawn in ink: the least and the largest value of groups, the most frequent of counts. */
  readonly extreme: ReadonlySet<number>;
  /** How many groups are not drawn. */
  readonly left: number;
}

/** More bars cannot be told apart. */
const MAX_BARS = 40;
const MAX_VALUES = 12;
const BINS = 10;

/** The columns that a chart can show: numbers, but not keys of groups. */
export function chartColumns({ columns, rows, names }: QueryResult): readonly number[] {
  return names.flatMap((_name, index) =>
    columns?.[index] !== 'key' && isNumeric(rows, index) ? [index] : [],
  );
}

/**
 * A number with at most four digits, but all of an integer.
 *
 * @param whole the text of an integer, which may have more digits than a number
 */
export function numberText(value: number, whole = String(value)): string {
  return Number.isInteger(value) || !Number.isFinite(value)
    ? whole
    : String(Number(value.toPrecision(4)));
}

function groupBars({ columns = [], rows }: QueryResult, column: number): readonly Bar[] {
  const keys = columns.filter((one) => one === 'key').length;
  return rows.flatMap(({ cells }) => {
    const value = cellNumber(cells[column]);
    if (value === undefined || !Number.isFinite(value)) return [];
    const label = cells.slice(0, keys).map((cell) => cellText(cell) || 'nothing');
    return [{ label: label.join(', ') || 'all', value, text: numberText(value) }];
  });
}

function numbersOf(rows: readonly ResultRow[], column: number): readonly number[] {
  return rows.flatMap(({ cells }) => {
    const value = cellNumber(cells[column]);
    return value === undefined || !Number.isFinite(value) ? [] : [value];
  });
}

function countBar(label: string, value: number): Bar {
  return { label, value, text: String(value) };
}

function valueBars(numbers: readonly number[]): readonly Bar[] {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([value, count]) => countBar(numberText(value), count));
}

function binBars(numbers: readonly number[]): readonly Bar[] {
  const least = numbers.reduce((a, b) => Math.min(a, b));
  const most = numbers.reduce((a, b) => Math.max(a, b));
  const width = (most - least) / BINS;
  const counts = Array.from({ length: BINS }, () => 0);
  for (const number of numbers) {
    const bin = Math.min(BINS - 1, Math.floor((number - least) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, bin) => {
    const [from, to] = [least + bin * width, least + (bin + 1) * width];
    return countBar(`${numberText(from)} – ${numberText(to)}`, count);
  });
}

function extremesOf(bars: readonly Bar[], isOfGroups: boolean): ReadonlySet<number> {
  const values = bars.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least === most) return new Set();
  const wanted = isOfGroups ? least : most;
  return new Set(values.flatMap((value, index) => (value === wanted ? [index] : [])));
}

/** A chart of a column: bars of groups, or how often each value occurs. Undefined if there is nothing to draw. */
export function chartOf(result: QueryResult, column: number): Chart | undefined {
  const isOfGroups = result.columns !== undefined;
  const numbers = isOfGroups ? [] : numbersOf(result.rows, column);
  const isFew = new Set(numbers).size <= MAX_VALUES;
  const all = isOfGroups ? groupBars(result, column) : (isFew ? valueBars : binBars)(numbers);
  if (all.length === 0) return undefined;
  const bars = all.slice(0, MAX_BARS);
  return {
    type: isOfGroups ? 'groups' : 'counts',
    bars,
    extreme: extremesOf(bars, isOfGroups),
    left: all.length - bars.length,
  };
}
