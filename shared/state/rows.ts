import * as z from 'zod/mini';
import { compareText } from '#shared/core/collector/first-entries.ts';
import type { EventVersion } from '#shared/core/event.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { WecRow } from '#shared/core/row.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, bodyCodec, decodeText, encodeText } from '#shared/state/body.ts';
import { RANGE, rowKey, versionText } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import type { SizedRow } from './set-aside.ts';

/** A WEC row, or the tombstone which says that the WEC no longer has the object. */
export interface StoredRow {
  readonly wec: string;
  readonly deleted?: true;
  /**
   * The UID of the WEC's object whose row was removed because no Binding named it any more. The object may still exist. If
   * there is a `row`, a sweep is in progress.
   */
  readonly unnamed?: string;
  readonly row?: WecRow;
  /** The length of a status in bytes that was too large to store. The row then has no status. */
  readonly oversizedBytes?: number;
  /** When the row was recorded, in milliseconds since the epoch. Absent if an older release stored the row. */
  readonly heardMs?: number;
}

const ROW = bodyCodec<StoredRow>(
  'WEC row',
  looseObject({
    wec: z.string(),
    deleted: z.exactOptional(z.literal(true)),
    unnamed: z.exactOptional(z.string()),
    row: z.exactOptional(
      looseObject({
        wec: z.string(),
        uid: z.string(),
        generation: z.number(),
        sourceGeneration: z.exactOptional(z.number()),
        sourceUid: z.exactOptional(z.string()),
        created: z.exactOptional(z.string()),
        specHash: z.exactOptional(z.string()),
        replicasFromScale: z.exactOptional(z.boolean()),
        deleting: z.exactOptional(z.boolean()),
        lastUpdate: z.exactOptional(z.string()),
        status: z.exactOptional(z.custom<JsonValue>()),
      }),
    ),
    oversizedBytes: z.exactOptional(z.number()),
    heardMs: z.exactOptional(z.number()),
  }),
);

/** An item has at most 400 KB. */
const MAX_ROW_BYTES = 380 * 1024;

/**
 * The limit for the JSON text of a row. Every fold of its workload reads the text, however well it was compressed. An event may
 * have a status of 1 MiB, and the same number can be longer here (`1e9` becomes `1000000000.0`).
 */
const MAX_ROW_TEXT_BYTES = 1.5 * 1024 * 1024;

/** A tombstone outlives the longest retention of a queue (14 days), so that a late duplicate finds it. */
const TOMBSTONE_SECONDS = 15 * 24 * 3600;

/** When a tombstone that is written now may expire, in seconds since the epoch. */
export function tombstoneExpiry(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + TOMBSTONE_SECONDS;
}

/** No process stops for longer between a read and a write: a Lambda function runs for 15 minutes at most. */
const STALLED_SECONDS = 24 * 3600;

/**
 * When a tombstone that is written now may expire, in seconds since the epoch, if it need not outlive a message: late messages
 * are rejected elsewhere, and only a process that stopped after that check may still put an older item.
 */
export function stalledExpiry(nowMs: number): number {
  return Math.ceil(nowMs / 1000) + STALLED_SECONDS;
}

/** The body of the tombstone of a row. */
export function tombstoneBody(wec: string): string | Uint8Array {
  return ROW.encode({ wec, deleted: true });
}

/** The body of a row, or of the tombstone that replaces it. */
export function rowBody(row: StoredRow): string | Uint8Array {
  return ROW.encode(row);
}

/** The item for what a WEC reports about a workload object. If `row` is absent, the WEC no longer has the object. */
export function rowItem(
  workload: WorkloadRef,
  reported: {
    readonly wec: string;
    readonly row?: WecRow;
    readonly version: EventVersion;
    readonly oversizedBytes?: number;
  },
  nowMs: number,
): Item {
  const key = rowKey(workload, reported.wec);
  const version = versionText(reported.version);
  const { wec, row } = reported;
  if (row === undefined)
    return {
      ...key,
      version,
      body: tombstoneBody(wec),
      expiresAt: tombstoneExpiry(nowMs),
    };
  // A WecRow is JSON. Absent members are left out when it is written.
  const oversized =
    reported.oversizedBytes === undefined ? {} : { oversizedBytes: reported.oversizedBytes };
  const text = stringifyJson({ wec, row: { ...row } as never, ...oversized, heardMs: nowMs });
  const bytes = Buffer.byteLength(text);
  const body = bytes <= MAX_ROW_TEXT_BYTES ? encodeText(text) : undefined;
  if (body !== undefined && bodyBytes(body) <= MAX_ROW_BYTES) return { ...key, version, body };
  const { status: _status, ...rest } = row;
  return {
    ...key,
    version,
    body: ROW.encode({ wec, row: rest, oversizedBytes: bytes, heardMs: nowMs }),
  };
}

/** Decodes the stored row of an item of {@link rowItem}. */
export function decodeRow(item: Item): StoredRow {
  return ROW.decode(item);
}

/** Reads all rows of a workload whose WEC hash lies between two hashes (inclusive), without tombstones. */
export async function readRows(
  store: ItemStore,
  pk: string,
  hashes: { readonly from: string; readonly to: string },
): Promise<readonly StoredRow[]> {
  const rows: StoredRow[] = [];
  const bounds = {
    pk,
    from: `${RANGE.row}${hashes.from}`,
    to: `${RANGE.row}${hashes.to}\u{10ffff}`,
  };
  for await (const items of pages(store, bounds))
    for (const item of items) {
      const row = decodeRow(item);
      if (row.deleted !== true) rows.push(row);
    }
  return rows;
}

/** The WEC of a {@link rowKey}. Its name contains no `#`. */
function wecOf(sk: string): string {
  return sk.slice(sk.lastIndexOf('#') + 1);
}

/**
 * Finds the largest rows among those found before and the rows of a page. The rows are not parsed. Tombstones and other items do
 * not count.
 *
 * @param most the maximum number of rows
 * @returns the largest rows, largest first
 */
export function largestRows(
  before: readonly SizedRow[],
  items: readonly Item[],
  most: number,
): readonly SizedRow[] {
  const found = items
    .filter(({ sk, expiresAt }) => sk.startsWith(RANGE.row) && expiresAt === undefined)
    .map(({ sk, body }) => ({ wec: wecOf(sk), bytes: Buffer.byteLength(decodeText(body ?? '')) }));
  const names = new Set(found.map(({ wec }) => wec));
  return [...before.filter(({ wec }) => !names.has(wec)), ...found]
    .sort((a, b) => b.bytes - a.bytes || compareText(a.wec, b.wec))
    .slice(0, most);
}
