import type { Value } from '#shared/core/collector/value.ts';
import { combinedName, type NamedLine, type Query } from './query.ts';

const INTEGER = /^-?\d+$/;

/** A cell as an expression. Undefined for what no group has as its key. */
function literal(cell: Value | undefined): string | undefined {
  switch (cell?.type) {
    case 'Null':
      return 'null';
    case 'Bool':
      return String(cell.bool);
    case 'String':
      return JSON.stringify(cell.string);
    case 'Number':
      return INTEGER.test(cell.float) ? cell.float : `double("${cell.float}")`;
    default:
      return undefined;
  }
}

function selected(query: Query, keys: readonly NamedLine[]): readonly NamedLine[] {
  const subjects = query.combined.flatMap((line) =>
    line.type === 'COUNT' ? [] : [{ name: combinedName(line), def: line.subject }],
  );
  // Columns of groups often have the same subject.
  const byText = new Map([...keys, ...subjects].map((line) => [line.def.trim(), line]));
  return [...byText.values()];
}

/** The question about the rows of a group: with its keys as filters, and what was aggregated as columns. */
export function rowsOfGroup(query: Query, cells: readonly Value[]): Query {
  const keys = query.groupBy.filter(({ def }) => def.trim() !== '');
  const filters = keys.flatMap(({ def }, index) => {
    const value = literal(cells[index]);
    return value === undefined ? [] : [`(${def.trim()}) == ${value}`];
  });
  const before = query.filter.trim() === '' ? [] : [`(${query.filter.trim()})`];
  return {
    ...query,
    filter: [...before, ...filters].join(' && '),
    select: selected(query, keys),
    groupBy: [],
    combined: [],
  };
}
