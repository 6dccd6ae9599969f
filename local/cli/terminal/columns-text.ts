import { displayWidth } from '#local/tables/display-text.ts';
import { alignedLines, type Rows } from '#local/tables/text-table.ts';
import { plainText } from '#shared/core/plain-text.ts';

/** The space between two columns. */
const GAP = 2;
/** A column is not made narrower than this. */
const NARROWEST = 8;

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(displayWidth));
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
function fittingWidths(rows: Rows, columns: number): readonly number[] {
  const texts = (rows[0] ?? []).map((_head, index) => rows.map((row) => row[index] ?? ''));
  const whole = texts.map((column) => GAP + longest(column));
  const words = texts.map((column) => GAP + longest(column.flatMap((text) => text.split(' '))));
  const least = texts.map(() => GAP + NARROWEST);
  return narrowed(narrowed(whole, words, columns), least, columns);
}

/**
 * Rows of external texts in columns, without borders. Texts are wrapped so that the rows fit.
 *
 * @param columns the width in which the rows fit
 */
export function columnsText(rows: Rows, columns: number): string {
  const texts = rows.map((row) => row.map(plainText));
  const widths = fittingWidths(texts, columns).map((width) => width - GAP);
  return alignedLines(texts, widths, ' '.repeat(GAP)).join('\n');
}
