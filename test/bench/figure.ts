/** One measured value, with what it should be and what it is measured against. */
export interface Figure {
  readonly section: string;
  readonly what: string;
  readonly value: number;
  /** `ms`, `rows`, `/s`, ... */
  readonly unit: string;
  /** The design's goal (section 10); absent: the figure explains another one. */
  readonly goal?: { readonly type: 'at most' | 'at least'; readonly value: number };
  /** A peer or a bound, measured in the same run. */
  readonly beside?: string;
}

/** Whether a figure reaches its goal; `undefined` for one that has none. */
export function reaches({ value, goal }: Figure): boolean | undefined {
  if (goal === undefined) return undefined;
  return goal.type === 'at most' ? value <= goal.value : value >= goal.value;
}

/** Three significant digits below 1,000, whole numbers above. */
export function rounded(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}

function goalText(figure: Figure): string {
  const { goal } = figure;
  if (goal === undefined) return '';
  const sign = goal.type === 'at most' ? '≤' : '≥';
  return `${sign} ${rounded(goal.value)} ${reaches(figure) ? 'reached' : 'MISSED'}`;
}

/** The figures as a table: a heading for each section, a line for each figure. */
export function figuresText(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => ({
    section: figure.section,
    cells: [
      figure.what,
      `${rounded(figure.value)} ${figure.unit}`,
      goalText(figure),
      figure.beside ?? '',
    ],
  }));
  const widthOf = (column: number): number =>
    Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0));
  const widths = [widthOf(0), widthOf(1), widthOf(2), 0];
  const lines: string[] = [];
  let section = '';
  for (const row of rows) {
    if (row.section !== section) lines.push('', row.section);
    section = row.section;
    const cells = row.cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    lines.push(`  ${cells.join('  ').trimEnd()}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The value below which a share (0 to 1) of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? Number.NaN;
}
