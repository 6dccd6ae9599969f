import type { BoardRow, BoardTable, BoardWorkload } from './board.ts';
import {
  combinedStatusOf,
  countsOf,
  errorCount,
  GONE,
  NO_ROWS,
  withRemark,
} from './display-messages.ts';
import { absenceText, stalenessText } from './sight.ts';

function rowText(row: BoardRow): string {
  const { present, health, sight } = row;
  if (!present) return absenceText(sight);
  return withRemark(countsOf(row, health?.status), stalenessText(sight));
}

function tableText({ columns, rows, errors }: BoardTable): string {
  const texts = rows.map((row) =>
    columns.map((column, index) => `${column}=${row[index] ?? ''}`).join(' '),
  );
  const body = texts.length === 0 ? NO_ROWS : texts.join('; ');
  return withRemark(body, errors === 0 ? '' : errorCount(errors));
}

/** The statement about each thing, by the name of the thing, which begins with its cluster. */
function statements(workload: BoardWorkload): ReadonlyMap<string, string> {
  const wds = workload.rows.find(({ isWds }) => isWds)?.cluster ?? '';
  return new Map([
    ...workload.rows.map((row): [string, string] => [
      `${row.cluster} ${workload.name}`,
      rowText(row),
    ]),
    ...workload.tables.map((table): [string, string] => [
      `${wds} ${combinedStatusOf(table.collector, workload.name)}`,
      tableText(table),
    ]),
  ]);
}

/** Remembers the statements that were made, and returns new ones: one line for each change. */
export class ChangeLines {
  readonly #reported = new Map<string, string>();
  #listed: ReadonlySet<string> = new Set();

  /**
   * The changes of these workloads since the last call, each as `<cluster> <thing>: <statement>`. A thing that is no
   * longer among them is reported as gone.
   */
  changes(workloads: readonly BoardWorkload[]): readonly string[] {
    const now = new Map(workloads.flatMap((workload) => [...statements(workload)]));
    const gone = [...this.#listed].filter((thing) => !now.has(thing));
    for (const thing of gone) this.#reported.delete(thing);
    this.#listed = new Set(now.keys());
    return [
      ...gone.map((thing) => `${thing}: ${GONE}`),
      ...[...now].flatMap(([thing, text]) => this.say(thing, text)),
    ];
  }

  /** The line for one thing, if its statement has changed. */
  say(thing: string, text: string): readonly string[] {
    if (this.#reported.get(thing) === text) return [];
    this.#reported.set(thing, text);
    return [`${thing}: ${text}`];
  }
}
