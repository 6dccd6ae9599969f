import { padded, shortened } from '#local/tables/display-text.ts';
import { type Rows, widthsOf } from '#local/tables/text-table.ts';
import { plainText } from '#shared/core/plain-text.ts';

/** The space between two columns, as in kubectl. */
const GAP = 3;
/** A column is not made narrower than this. */
const NARROWEST = 6;
/** As long as there are others, a column of a list is not made narrower than this. */
const READABLE = 12;
/** Stands for the columns at the end that are left out. */
const MORE = '…';

/**
 * The widths with which columns fit: the last ones are made narrower first.
 *
 * @param most the width of all columns together. Absent for no limit
 */
export function shortenedWidths(
  widths: readonly number[],
  most: number | undefined,
): readonly number[] {
  const fitting = [...widths];
  let over = most === undefined ? 0 : fitting.reduce((sum, width) => sum + width, 0) - most;
  for (let index = fitting.length - 1; index >= 0 && over > 0; index -= 1) {
    const width = fitting[index] ?? 0;
    const narrow = Math.max(Math.min(width, NARROWEST), width - over);
    over -= width - narrow;
    fitting[index] = narrow;
  }
  return fitting;
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

/** The widths with which columns fit, the widest ones narrowed first. Undefined if that would make them unreadable. */
function narrowedWidths(widths: readonly number[], most: number): readonly number[] | undefined {
  const fitting = [...widths];
  for (let over = sum(fitting) - most; over > 0; over -= 1) {
    const widest = Math.max(...fitting);
    if (widest <= READABLE) return undefined;
    fitting[fitting.lastIndexOf(widest)] = widest - 1;
  }
  return fitting;
}

/** How the columns of a list are shown. */
interface Fitting {
  /** Of the first columns. */
  readonly widths: readonly number[];
  /** Whether columns at the end are left out. */
  readonly isCut: boolean;
}

/** How the columns of a list fit a terminal: the widest are narrowed, and if that does not suffice, the last are left out. */
function fittingColumns(widths: readonly number[], columns: number): Fitting {
  for (let count = widths.length; count > 1; count -= 1) {
    const isCut = count < widths.length;
    const gaps = GAP * (count - 1) + (isCut ? GAP + MORE.length : 0);
    const fitting = narrowedWidths(widths.slice(0, count), columns - gaps);
    if (fitting !== undefined) return { widths: fitting, isCut };
  }
  const isCut = widths.length > 1;
  const [first = 0] = widths;
  return { widths: [Math.min(first, columns - (isCut ? GAP + MORE.length : 0))], isCut };
}

function lineOf(row: readonly string[], { widths, isCut }: Fitting): string {
  const cells = widths.map((width, index) => padded(shortened(row[index] ?? '', width), width));
  return [...cells, ...(isCut ? [MORE] : [])].join(' '.repeat(GAP)).trimEnd();
}

/**
 * Prints rows of texts in columns, also when they come one after the other: a column becomes wider with its texts, and never
 * narrower again.
 */
export class ShortenedColumns {
  readonly #columns: number | undefined;
  #widths: readonly number[] = [];

  /** @param columns the width in which each row fits, as one line. Absent for no limit: nothing is shortened */
  constructor(columns: number | undefined) {
    this.#columns = columns;
  }

  /** Lines for some rows of external texts. */
  lines(rows: Rows): string {
    const texts = rows.map((row) => row.map(plainText));
    const widths = widthsOf(texts);
    const count = Math.max(this.#widths.length, widths.length);
    this.#widths = Array.from({ length: count }, (_, index) =>
      Math.max(this.#widths[index] ?? 0, widths[index] ?? 0),
    );
    const fitting =
      this.#columns === undefined
        ? { widths: this.#widths, isCut: false }
        : fittingColumns(this.#widths, this.#columns);
    return texts.map((row) => `${lineOf(row, fitting)}\n`).join('');
  }
}
