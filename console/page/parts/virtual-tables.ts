/** A table that draws only some of its rows. */
export interface VirtualTable {
  readonly count: number;
  /** So many rows are seen at a time. */
  readonly page: number;
  /** Puts the focus on a row, and scrolls to it. */
  goTo(index: number): void;
}

const tables = new WeakMap<Element, VirtualTable>();

/** Makes a table known by the element in which its rows scroll. */
export function setVirtualTable(viewport: Element, table: VirtualTable): void {
  tables.set(viewport, table);
}

/** The place of a row among all rows of its table. */
export function indexOfRow(row: Element): number {
  return Number(row.ariaRowIndex) - 2;
}

/** The row that has the focus, if it is one of a table that draws only some. */
export function focusedVirtualRow():
  | { readonly table: VirtualTable; readonly viewport: Element; readonly index: number }
  | undefined {
  const row = document.activeElement;
  const viewport = row?.closest('.vp');
  const table = viewport ? tables.get(viewport) : undefined;
  if (!row?.matches('.tr.hit') || !viewport || table === undefined) return undefined;
  return { table, viewport, index: indexOfRow(row) };
}
