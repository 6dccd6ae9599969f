import Table from 'cli-table3';

/** The space between two columns. */
const GAP = 2;
/** A column is not made narrower than this. */
const NARROWEST = 8;

const NO_BORDER = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'],
    ...['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((part) => [part, '']),
);

function longest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

/** Narrows the widest columns until all fit, or until none is wider than its least width. */
function narrowed(
  widths: readonly number[],
  least: readonly number[],
  columns: number,
): readonly number[] {
  const narrow = [...widths];
  const room = (index: number): number => (narrow[index] ?? 0) - (least[index] ?? 0);
  for (let total = narrow.reduce((sum, width) => sum + width, -GAP); total > columns; total -= 1) {
    const wide = narrow.flatMap((width, index) => (room(index) > 0 ? [width] : []));
    if (wide.length === 0) break;
    const widest = Math.max(...wide);
    const index = narrow.findLastIndex((width, at) => width === widest && room(at) > 0);
    narrow[index] = widest - 1;
  }
  return narrow;
}

/** The widths of columns: those of their texts, if possible those of their longest words, otherwise less. */
function widthsOf(rows: readonly (readonly string[])[], columns: number): readonly number[] {
  const texts = (rows[0] ?? []).map((_head, index) => rows.map((row) => row[index] ?? ''));
  const whole = texts.map((column) => GAP + longest(column));
  const words = texts.map((column) => GAP + longest(column.flatMap((text) => text.split(' '))));
  const least = texts.map(() => GAP + NARROWEST);
  return narrowed(narrowed(whole, words, columns), least, columns);
}

/** A text whose words all fit in a column, so that they are not cut. */
function withShortWords(text: string, width: number): string {
  return text.replaceAll(new RegExp(`\\S{${width - GAP}}(?=\\S)`, 'gu'), '$& ');
}

/**
 * Rows of texts in columns, without borders. Texts are wrapped so that the rows fit.
 *
 * @param columns the width in which the rows fit
 */
export function columnsText(rows: readonly (readonly string[])[], columns: number): string {
  const widths = widthsOf(rows, columns);
  const table = new Table({
    chars: NO_BORDER,
    colWidths: [...widths],
    wordWrap: true,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
  });
  for (const row of rows)
    table.push(row.map((text, index) => withShortWords(text, widths[index] ?? NARROWEST)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
