import { rankOf, type Verdict, verdictOfReport } from '#shared/core/explanation/shown-verdict.ts';
import { isArray, type JsonValue, member } from '#shared/core/json.ts';

/** What the list of WECs says of one WEC. */
export interface WecRow {
  readonly wec: string;
  /** Silent, TooLarge, Missing, NotReported or Reported. */
  readonly state: string;
  /** Argo CD's verdict. Absent if there is none. */
  readonly health?: string;
  /** How much is ready, such as `2/3`. Absent if the kind does not say. */
  readonly ready?: string;
}

/** The API writes a dash into a cell for which there is no value. */
const NOTHING = '-';

function cellsByName(table: JsonValue): (name: string, row: JsonValue) => string | undefined {
  const definitions = member(table, 'columnDefinitions');
  const names = isArray(definitions) ? definitions.map((column) => member(column, 'name')) : [];
  return (name, row) => {
    const cells = member(row, 'cells');
    const cell = isArray(cells) ? cells[names.indexOf(name)] : undefined;
    return typeof cell === 'string' && cell !== NOTHING ? cell : undefined;
  };
}

/** The rows of a Table of WECStatuses. */
export function wecRowsOf(table: JsonValue): readonly WecRow[] {
  const cell = cellsByName(table);
  const rows = member(table, 'rows');
  if (!isArray(rows)) return [];
  return rows.flatMap((row) => {
    const wec = cell('WEC', row);
    if (wec === undefined) return [];
    const health = cell('Health', row);
    const ready = cell('Ready', row);
    return [
      {
        ...{ wec, state: cell('State', row) ?? 'NotReported' },
        ...(health === undefined ? {} : { health }),
        ...(ready === undefined ? {} : { ready }),
      },
    ];
  });
}

/** What is shown of a WEC. */
export function verdictOf({ state, health }: Pick<WecRow, 'state' | 'health'>): Verdict {
  return verdictOfReport(state, health);
}

/** The WECs worst first; those with the same verdict by name. */
export function worstFirst(rows: readonly WecRow[]): readonly WecRow[] {
  return rows.toSorted((a, b) => {
    const order = rankOf(verdictOf(a)) - rankOf(verdictOf(b));
    if (order !== 0) return order;
    return a.wec < b.wec ? -1 : 1;
  });
}
