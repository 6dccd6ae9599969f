import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WecRow } from '#shared/core/row.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { rowKey, wecHash } from '#shared/state/keys.ts';
import { decodeRow, largestRows, readRows, rowItem, tombstoneExpiry } from '#shared/state/rows.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const WEB = { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
const { pk: PK } = rowKey(WEB, '');
const VERSION = { epoch: 1, sequence: 2 };
const ALL = { from: '00000000', to: 'ffffffff' };

function row(wec: string, status: string): WecRow {
  return { wec, uid: 'u', generation: 1, status };
}

describe('the item of a row', () => {
  it('gives the row back, under the key and version of what the WEC said', () => {
    const life = { sourceUid: 'in-the-wds', created: '2026-08-01T09:00:00Z' };
    const said = { wec: 'wec1', row: { ...row('wec1', 'fine'), ...life }, version: VERSION };
    const item = rowItem(WEB, said, 0);
    expect(item).toMatchObject({
      ...rowKey(WEB, 'wec1'),
      version: `${'1'.padStart(16, '0')}.${'2'.padStart(16, '0')}`,
    });
    expect(item.expiresAt).toBeUndefined();
    expect(decodeRow(item)).toEqual({ wec: 'wec1', row: said.row, heardMs: 0 });
  });

  it('of a WEC that has the object no more is a tombstone that outlives every late message', () => {
    const item = rowItem(WEB, { wec: 'wec1', version: VERSION }, 1_500);
    expect(decodeRow(item)).toEqual({ wec: 'wec1', deleted: true });
    expect(item.expiresAt).toBe(2 + 15 * 24 * 3600);
    expect(item.expiresAt).toBe(tombstoneExpiry(1_500));
  });

  it('has no status if that is too large, but its size', () => {
    const full = row('wec1', randomBytes(600_000).toString('base64'));
    const { status: _status, ...rest } = full;
    const item = rowItem(WEB, { wec: 'wec1', row: full, version: VERSION }, 0);
    const stored = decodeRow(item);
    expect(stored.row).toEqual(rest);
    expect(stored.oversizedBytes).toBeGreaterThan(380 * 1024);
  });

  it('keeps the size of a status that its forwarder found too large to send', () => {
    const said = { wec: 'wec1', row: row('wec1', ''), version: VERSION, oversizedBytes: 2_000_000 };
    expect(decodeRow(rowItem(WEB, said, 0)).oversizedBytes).toBe(2_000_000);
  });
});

describe('readRows', () => {
  let store: ItemStore;
  const wecs = Array.from({ length: 20 }, (_wec, index) => `wec${index}`);
  beforeEach(async () => {
    store = createMemoryItemStore();
    const items = wecs.map((wec) => rowItem(WEB, { wec, row: row(wec, ''), version: VERSION }, 0));
    await store.put(items.map((item) => ({ item })));
    await store.put([{ item: { pk: PK, sk: 'RESULT#1' } }, { item: { pk: PK, sk: 'PART#1' } }]);
  });
  const read = async (hashes: { from: string; to: string }, from = store) =>
    (await readRows(from, PK, hashes)).map(({ wec }) => wec).sort();

  it('reads all rows, page by page, and nothing else', async () => {
    const paged: ItemStore = { ...store, query: (query) => store.query({ ...query, limit: 3 }) };
    expect(await read(ALL, paged)).toEqual(wecs.toSorted());
  });

  it('reads those between two hashes, both inclusive', async () => {
    const hashes = wecs.map(wecHash).sort();
    const [from = '', to = ''] = [hashes[4], hashes[9]];
    const expected = wecs.filter((wec) => wecHash(wec) >= from && wecHash(wec) <= to);
    expect(await read({ from, to })).toEqual(expected.sort());
    expect(expected).toHaveLength(6);
  });

  it('leaves out tombstones', async () => {
    await store.put([{ item: rowItem(WEB, { wec: 'wec7', version: VERSION }, 0) }]);
    expect(await read(ALL)).not.toContain('wec7');
  });
});

describe('largestRows', () => {
  const itemOf = (wec: string, characters: number) =>
    rowItem(WEB, { wec, row: row(wec, 'x'.repeat(characters)), version: VERSION }, 0);

  it('finds the largest rows however well they are compressed, without tombstones and other items', () => {
    const items = [
      itemOf('wec1', 10),
      itemOf('wec2', 100_000),
      itemOf('wec3', 10),
      itemOf('wec4', 300_000),
      rowItem(WEB, { wec: 'wec5', version: VERSION }, 0),
      { pk: PK, sk: 'PART#0#0', body: 'x'.repeat(400_000) },
    ];
    const largest = largestRows([], items, 3);
    expect(largest.map(({ wec }) => wec)).toEqual(['wec4', 'wec2', 'wec1']);
    expect(largest[0]?.bytes).toBeGreaterThan(300_000);
    expect(largestRows([], [], 3)).toEqual([]);
  });

  it('continues with those of earlier pages, and counts a row once', () => {
    const before = largestRows([], [itemOf('wec1', 10), itemOf('wec2', 1_000)], 2);
    const largest = largestRows(before, [itemOf('wec2', 1_000), itemOf('wec3', 100)], 2);
    expect(largest.map(({ wec }) => wec)).toEqual(['wec2', 'wec3']);
  });
});
