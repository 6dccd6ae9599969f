import { stripVTControlCharacters, styleText } from 'node:util';
import { beginningOf, displayWidth, padded, shortened } from '#local/tables/display-text.ts';
import { alignedLines, type Rows, widthsOf } from '#local/tables/text-table.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { plainText } from '#shared/core/plain-text.ts';
import type { BoardRow, BoardTable, BoardWorkload } from './board.ts';
import {
  asWds,
  backlogCount,
  countersText,
  errorCount,
  moreRows,
  moreWorkloads,
  NO_BINDING,
  NO_ROWS,
  withMoreWecs,
} from './display-messages.ts';
import { type FleetLine, fleetText } from './fleet-line.ts';
import { absenceText, stalenessText } from './sight.ts';

/** A cluster that does not answer, with the reason. */
export interface ClusterProblem {
  readonly cluster: string;
  readonly problem: string;
}

/** Everything that the terminal shows. */
export interface View {
  readonly title: string;
  /** The progress of the demo. `''` if there is no demo. */
  readonly progress: string;
  readonly workloads: readonly BoardWorkload[];
  readonly problems: readonly ClusterProblem[];
  readonly counters: {
    /** Changes in the WECs for each second. */
    readonly changesPerSecond: number;
    /** Messages in the queues. */
    readonly backlog: number;
    /** The time from the last change in a WEC until the WDS shows it. */
    readonly latencyMs: number | undefined;
  };
  readonly hints: readonly string[];
  /** The errors, the newest last. */
  readonly messages: readonly string[];
  /** The management cluster of Fleet. */
  readonly fleet?: FleetLine;
  /** Whether there is a WDS. Default: true. */
  readonly hasWds?: boolean;
}

/** The size and colours of the terminal. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  readonly colors: boolean;
}

type Format = Parameters<typeof styleText>[0];

const HEALTH_FORMAT: Readonly<Record<ArgoCdStatus, Format>> = {
  Healthy: 'green',
  Suspended: 'cyan',
  Progressing: 'yellow',
  Missing: 'magenta',
  Degraded: 'red',
  Unknown: 'magenta',
};

const GAP = '   ';
const MAX_MESSAGES = 2;
const MAX_PROBLEMS = 4;
/** A narrower display is useless. */
const MIN_COLUMNS = 20;
const MIN_WORKLOAD_LINES = 6;
const MIN_ROWS = 3;
/** The height of the results of collectors if there are more WECs than fit. */
const COLLECTOR_LINES = 6;

/** A line that fits. If it is shortened, it has no styles. */
function cut(line: string, columns: number): string {
  if (displayWidth(line) <= columns) return line;
  return shortened(stripVTControlCharacters(line), columns);
}

function tableLines(rows: Rows): readonly string[] {
  return alignedLines(rows, widthsOf(rows), '  ');
}

/** Blocks of lines beside each other as long as they fit, then below. */
function sideBySide(blocks: readonly (readonly string[])[], columns: number): readonly string[] {
  let done: readonly string[] = [];
  let current: readonly string[] = [];
  for (const block of blocks) {
    const width = Math.max(0, ...current.map(displayWidth));
    const height = Math.max(current.length, block.length);
    const joined = Array.from({ length: height }, (_, index) => {
      const left = current[index] ?? '';
      return `${padded(left, width)}${GAP}${block[index] ?? ''}`.trimEnd();
    });
    if (current.length === 0) current = block;
    else if (Math.max(...joined.map(displayWidth)) <= columns) current = joined;
    else {
      done = [...done, ...current];
      current = block;
    }
  }
  return [...done, ...current];
}

/** The parts of the display, for one terminal's size and colours. */
class Picture {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  #style(format: Format, text: string): string {
    // The caller decides whether the terminal can show colours.
    return this.#screen.colors ? styleText(format, text, { validateStream: false }) : text;
  }

  heading(view: View): string {
    const { columns } = this.#screen;
    const [title, progress] = [plainText(view.title), plainText(view.progress)];
    const space = columns - displayWidth(title) - displayWidth(progress);
    const text = `${this.#style('bold', title)}${' '.repeat(Math.max(space, 2))}${progress}`;
    return cut(text, columns);
  }

  #cells(row: BoardRow) {
    const { cluster, present, ready, updated, available, seen, health, isWds, sight } = row;
    const name = isWds ? this.#style('bold', asWds(cluster)) : cluster;
    const verdict = present ? (health?.status ?? '-') : absenceText(sight);
    const shown = health === null ? verdict : this.#style(HEALTH_FORMAT[health.status], verdict);
    return {
      cells: [name, ready, updated, available, seen, shown],
      message: (present && stalenessText(sight)) || (health?.message ?? ''),
    };
  }

  #clusterTable(rows: readonly BoardRow[]): readonly string[] {
    const { columns } = this.#screen;
    const head = ['CLUSTER', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'SEEN', 'HEALTH'].map((title) =>
      this.#style('dim', title),
    );
    const cells = rows.map((row) => this.#cells(row));
    const lines = tableLines([head, ...cells.map((row) => row.cells)]);
    const width = Math.max(...lines.map(displayWidth));
    return lines.map((line, index) => {
      const message = cells[index - 1]?.message ?? '';
      const room = columns - width - GAP.length;
      if (message === '' || room < MIN_COLUMNS) return line;
      return `${padded(line, width)}${GAP}${this.#style('dim', cut(message, room))}`;
    });
  }

  /** The rows that fit: always the WDS's row. If there are too many WECs, the ones with the most problems first. */
  #rowsThatFit(rows: readonly BoardRow[], height: number): readonly BoardRow[] {
    if (rows.length <= height) return rows;
    const isWell = ({ isWds, health }: BoardRow): boolean => !isWds && health?.status === 'Healthy';
    const chosen = [...rows].sort((a, b) => Number(isWell(a)) - Number(isWell(b)));
    const wds = rows.filter(({ isWds }) => isWds);
    const kept = chosen.filter(({ isWds }) => !isWds).slice(0, Math.max(height - wds.length, 0));
    return rows.filter((row) => row.isWds || kept.includes(row));
  }

  #collector({ collector, columns, rows, errors }: BoardTable, height: number): readonly string[] {
    const shown = rows.slice(0, Math.max(height, 1));
    const more = rows.length - shown.length;
    const head = columns.map((name) => this.#style('dim', name.toUpperCase()));
    return [
      this.#style('underline', collector),
      ...(rows.length === 0 ? [this.#style('dim', NO_ROWS)] : tableLines([head, ...shown])),
      ...(more > 0 ? [moreRows(more)] : []),
      ...(errors > 0 ? [this.#style('red', errorCount(errors))] : []),
    ];
  }

  /** At most this many lines, or a few more if otherwise nothing would be shown. */
  workload({ name, rows, tables }: BoardWorkload, height: number): readonly string[] {
    const { columns } = this.#screen;
    const room = height - 2 - (tables.length === 0 ? 0 : COLLECTOR_LINES);
    const shown = this.#rowsThatFit(rows, Math.max(room, MIN_ROWS));
    const hidden = rows.length - shown.length;
    const title = hidden > 0 ? withMoreWecs(name, hidden) : name;
    const above = [this.#style('bold', title), ...this.#clusterTable(shown)];
    const left = height - above.length - 1;
    if (tables.length === 0 || left < 3) return above;
    const blocks = tables.map((table) => this.#collector(table, left - 3));
    return [...above, '', ...sideBySide(blocks, columns).slice(0, left)];
  }

  fleet({ fleet }: View): readonly string[] {
    if (fleet === undefined) return [];
    return [this.#style(fleet.connected ? 'cyan' : 'yellow', plainText(fleetText(fleet)))];
  }

  counters({ counters, hasWds = true }: View): string {
    const { changesPerSecond, backlog, latencyMs } = counters;
    const text = hasWds
      ? countersText(changesPerSecond, backlog, latencyMs)
      : backlogCount(backlog);
    return this.#style('cyan', text);
  }

  /** A problem may take a second line. */
  #wrong(problem: string): readonly string[] {
    const { columns } = this.#screen;
    const text = plainText(problem);
    const first = beginningOf(text, columns);
    const rest = text.slice(first.length);
    const lines = rest === '' ? [text] : [first, cut(`  ${rest}`, columns)];
    return lines.map((line) => this.#style('red', line));
  }

  problems({ problems }: View): readonly string[] {
    return problems
      .slice(0, MAX_PROBLEMS)
      .flatMap(({ cluster, problem }) => this.#wrong(`${cluster}: ${problem}`));
  }

  messages({ messages }: View): readonly string[] {
    return messages.slice(-MAX_MESSAGES).flatMap((message) => this.#wrong(`! ${message}`));
  }

  hints({ hints }: View): readonly string[] {
    return hints.map((hint) => this.#style('dim', plainText(hint)));
  }
}

function workloadLines(picture: Picture, view: View, height: number): readonly string[] {
  const { workloads, hasWds = true } = view;
  if (!hasWds) return [];
  if (workloads.length === 0) return ['', NO_BINDING];
  const count = Math.min(
    Math.max(Math.floor(height / (MIN_WORKLOAD_LINES + 1)), 1),
    workloads.length,
  );
  const hidden = workloads.length - count;
  const each = Math.floor((height - Math.min(hidden, 1)) / count);
  const lines = workloads
    .slice(0, count)
    .flatMap((workload) => ['', ...picture.workload(workload, each - 1)].slice(0, each));
  return hidden === 0 ? lines : [...lines, moreWorkloads(hidden)];
}

/** The display of a view as text, no larger than the screen minus one line (for the cursor). */
export function render(view: View, screen: Screen): string {
  const columns = Math.max(screen.columns, MIN_COLUMNS);
  const picture = new Picture({ ...screen, columns });
  const height = Math.max(screen.rows - 1, 5);
  const below = [
    ...picture.problems(view),
    ...picture.fleet(view),
    picture.counters(view),
    ...picture.messages(view),
  ];
  const hints = picture.hints(view).slice(0, Math.max(height - below.length - 10, 0));
  const footer = ['', ...below, ...hints];
  const body = workloadLines(picture, view, height - 1 - footer.length);
  const above = [picture.heading(view), ...body].slice(0, Math.max(height - footer.length, 1));
  return [...above, ...footer]
    .slice(0, height)
    .map((line) => cut(line, columns))
    .join('\n');
}
