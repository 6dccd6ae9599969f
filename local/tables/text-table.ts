import { displayWidth, padded, shortened, wrapped } from './display-text.ts';

/** Rows of cells. */
export type Rows = readonly (readonly string[])[];

/** The corners and crossings of a line between rows: at the left, between two columns, at the right. */
type Joints = readonly [string, string, string];

const TOP: Joints = ['┌', '┬', '┐'];
const MIDDLE: Joints = ['├', '┼', '┤'];
const BOTTOM: Joints = ['└', '┴', '┘'];

/** The width of the widest cell of each column. */
export function widthsOf(rows: Rows): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
}

/**
 * Each row in one line, or more if a cell does not fit: then its text is wrapped.
 *
 * @param gap what is between two columns
 */
export function alignedLines(
  rows: Rows,
  widths: readonly number[],
  gap: string,
): readonly string[] {
  return rows.flatMap((row) => {
    const cells = widths.map((width, index) => wrapped(row[index] ?? '', width));
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((lines, index) => padded(lines[line] ?? '', widths[index] ?? 0))
        .join(gap)
        .trimEnd(),
    );
  });
}

/** The space at one side of a text between lines. */
const PADDING = 1;

/** The widths of the columns of a table with lines: those of their texts. */
export function borderedWidths(rows: Rows): readonly number[] {
  return widthsOf(rows).map((width) => width + 2 * PADDING);
}

/**
 * A table with lines around each cell.
 *
 * @param widths as {@link borderedWidths} gives them, or less: then texts are shortened
 */
export function borderedTable(rows: Rows, widths = borderedWidths(rows)): string {
  const between = ([left, middle, right]: Joints): string =>
    `${left}${widths.map((width) => '─'.repeat(width)).join(middle)}${right}\n`;
  const space = ' '.repeat(PADDING);
  const lines = rows.map((row) => {
    const cells = widths.map((width, index) => {
      const room = width - 2 * PADDING;
      return `${space}${padded(shortened(row[index] ?? '', room), room)}${space}`;
    });
    return `│${cells.join('│')}│\n`;
  });
  return `${between(TOP)}${lines.join(between(MIDDLE))}${between(BOTTOM)}`;
}
