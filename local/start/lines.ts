import type { BoardRow, BoardTable, BoardWorkload } from './board.ts';
import { absenceText, stalenessText } from './sight.ts';

function rowText(row: BoardRow): string {
  const { present, ready, updated, available, seen, health, sight } = row;
  if (!present) return absenceText(sight);
  const stale = stalenessText(sight);
  const verdict = health === null ? '' : `, ${health.status}`;
  return `ready ${ready}, up-to-date ${updated}, available ${available}, seen ${seen}${verdict}${stale === '' ? '' : `; ${stale}`}`;
}

function tableText({ columns, rows, errors }: BoardTable): string {
  const texts = rows.map((row) =>
    columns.map((column, index) => `${column}=${row[index] ?? ''}`).join(' '),
  );
  const body = texts.length === 0 ? '(none)' : texts.join('; ');
  return errors === 0 ? body : `${body}; ${errors} errors`;
}

/** What is said of each thing, by a name of the thing that begins with its cluster. */
function statements(workload: BoardWorkload): ReadonlyMap<string, string> {
  const wds = workload.rows.find(({ isWds }) => isWds)?.cluster ?? '';
  return new Map([
    ...workload.rows.map((row): [string, string] => [
      `${row.cluster} ${workload.name}`,
      rowText(row),
    ]),
    ...workload.tables.map((table): [string, string] => [
      `${wds} CombinedStatus ${table.collector} of ${workload.name}`,
      tableText(table),
    ]),
  ]);
}

/** Remembers what has been said, and says what is new: one line for each change. */
export class ChangeLines {
  readonly #said = new Map<string, string>();
  #standing: ReadonlySet<string> = new Set();

  /**
   * What of these workloads differs from what was said last, each as `<cluster> <thing>: <what it says>`. A thing that is
   * not among them any more is gone.
   */
  changes(workloads: readonly BoardWorkload[]): readonly string[] {
    const now = new Map(workloads.flatMap((workload) => [...statements(workload)]));
    const gone = [...this.#standing].filter((thing) => !now.has(thing));
    for (const thing of gone) this.#said.delete(thing);
    this.#standing = new Set(now.keys());
    return [
      ...gone.map((thing) => `${thing}: gone`),
      ...[...now].flatMap(([thing, text]) => this.say(thing, text)),
    ];
  }

  /** The line for one thing, if it says something else than before. */
  say(thing: string, text: string): readonly string[] {
    if (this.#said.get(thing) === text) return [];
    this.#said.set(thing, text);
    return [`${thing}: ${text}`];
  }
}
