import { stripVTControlCharacters } from 'node:util';

/** The space between two columns, as in kubectl. */
const GAP = 3;
/** A column is not made narrower than this. */
const NARROWEST = 6;
const CONTROL = /\p{Cc}+/gu;

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

/** A text of one line that is not longer than a width. */
function shortened(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(width - 1, 0))}…` : text;
}

/** External text on one line, without characters that control the terminal. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(CONTROL, ' ');
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

  /** Lines for some rows. */
  lines(rows: readonly (readonly string[])[]): string {
    const texts = rows.map((row) => row.map(plain));
    const count = Math.max(this.#widths.length, ...texts.map((row) => row.length));
    this.#widths = Array.from({ length: count }, (_, index) =>
      Math.max(this.#widths[index] ?? 0, ...texts.map((row) => row[index]?.length ?? 0)),
    );
    const most = this.#columns === undefined ? undefined : this.#columns - GAP * (count - 1);
    const widths = shortenedWidths(this.#widths, most);
    return texts.map((row) => `${this.#line(row, widths)}\n`).join('');
  }

  #line(row: readonly string[], widths: readonly number[]): string {
    const cells = row.map((text, index) => {
      const width = widths[index] ?? 0;
      return shortened(text, width).padEnd(width);
    });
    const line = cells.join(' '.repeat(GAP)).trimEnd();
    return this.#columns === undefined ? line : shortened(line, this.#columns);
  }
}
