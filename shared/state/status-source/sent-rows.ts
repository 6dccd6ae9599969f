import { setImmediate as turn } from 'node:timers/promises';
import { workloadText } from '#shared/core/status-api/status-name.ts';
import { ReportsTooLargeError } from '#shared/errors.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { decodeRow, type StoredRow } from '#shared/state/rows.ts';
import type { BoundObject } from './bound-object.ts';
import { isMissing, statusBytes } from './reports.ts';

/** More is not read: in memory it takes several times as much. */
const MAX_MEBIBYTES = 64;
const MAX_BYTES = MAX_MEBIBYTES * 1024 * 1024;

/** So many rows are decoded in some milliseconds. */
const SLICE_ROWS = 200;

/** The row of an item. Undefined if no Binding sends the object to its WEC. */
function sentRow(item: Item, { memberships }: BoundObject): StoredRow | undefined {
  const row = decodeRow(item);
  return memberships.some(({ destinations }) => destinations.set.has(row.wec)) ? row : undefined;
}

/** What the WECs report to which Bindings send an object. */
export interface SentRows {
  readonly rows: readonly StoredRow[];
  /** The WECs that have reported that they do not have the object any more. They have no row. */
  readonly missing: ReadonlySet<string>;
}

/** The items of the rows of an object. Between slices of them, everything else in the process goes on. */
async function* rowItems(store: ItemStore, { pk }: BoundObject): AsyncGenerator<Item> {
  let left = SLICE_ROWS;
  for await (const items of pages(store, range(pk, RANGE.row)))
    for (const item of items) {
      yield item;
      left -= 1;
      if (left > 0) continue;
      left = SLICE_ROWS;
      await turn();
    }
}

/**
 * Reads what the WECs report to which Bindings send an object.
 *
 * @throws ReportsTooLargeError
 */
export async function readSentRows(store: ItemStore, bound: BoundObject): Promise<SentRows> {
  const rows: StoredRow[] = [];
  const missing = new Set<string>();
  let bytes = 0;
  for await (const item of rowItems(store, bound)) {
    const row = sentRow(item, bound);
    if (row === undefined) continue;
    if (isMissing(row)) missing.add(row.wec);
    if (row.deleted === true) continue;
    rows.push(row);
    bytes += statusBytes(item, row.row ?? {});
    if (bytes > MAX_BYTES)
      throw new ReportsTooLargeError(workloadText(bound.workload), MAX_MEBIBYTES);
  }
  return { rows, missing };
}
