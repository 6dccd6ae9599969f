import * as z from 'zod/mini';
import type { JsonValue } from '#shared/core/json.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, bodyCodec } from '#shared/state/body.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import { compareAndPut } from './compare-and-put.ts';

/** A larger part is not stored. Its shard is folded each time. */
const MAX_PART_BYTES = 380 * 1024;

/** The stored part of one shard of a workload's rows. */
export interface StoredPart {
  /** The fingerprint of the inputs; `''` if the part was too large to store. */
  readonly fingerprint: string;
  readonly part?: JsonValue;
}

const PART = bodyCodec<StoredPart>(
  'part of a shard',
  looseObject({ fingerprint: z.string(), part: z.exactOptional(z.custom<JsonValue>()) }),
);

/** The stored parts of a layout revision by shard, with the revision of each part. */
export type StoredParts = ReadonlyMap<number, StoredPart & { readonly revision: number }>;

/** The parts of one table of rows. */
export interface PartsName {
  readonly pk: string;
  /** The name of the table if the partition has several tables. */
  readonly table?: string;
  readonly layoutRevision: number;
}

function prefixOf({ table, layoutRevision }: PartsName): string {
  return `${RANGE.part}${table === undefined ? '' : `${table}#`}${sortableNumber(layoutRevision)}#`;
}

/** Reads all stored parts of a layout revision. */
export async function readParts(store: ItemStore, name: PartsName): Promise<StoredParts> {
  const parts = new Map<number, StoredPart & { revision: number }>();
  const { pk } = name;
  const prefix = prefixOf(name);
  for await (const items of pages(store, range(pk, prefix)))
    for (const item of items)
      parts.set(Number(item.sk.slice(prefix.length)), {
        ...PART.decode(item),
        revision: Number(item.version),
      });
  return parts;
}

/** Reads the stored parts of some shards of a layout revision. */
export async function readPartsOf(
  store: ItemStore,
  name: PartsName,
  shards: readonly number[],
): Promise<StoredParts> {
  const sort = (shard: number): string => `${prefixOf(name)}${sortableNumber(shard)}`;
  const items = await store.get(shards.map((shard) => ({ pk: name.pk, sk: sort(shard) })));
  return new Map(
    items.flatMap((item, index) =>
      item === undefined
        ? []
        : [[Number(shards[index]), { ...PART.decode(item), revision: Number(item.version) }]],
    ),
  );
}

/**
 * Stores the part of a shard if its revision is still the one that was read (0 if there was none) before the rows were read.
 * This is the rule of the head for a shard.
 *
 * @returns `outdated` if the revision has changed: start again; `too-large` if no item can hold the part: it is not stored.
 */
export async function putPart(
  store: ItemStore,
  name: PartsName,
  shard: {
    readonly shard: number;
    readonly revision: number;
    readonly fingerprint: string;
    readonly part: JsonValue;
  },
): Promise<'stored' | 'too-large' | 'outdated'> {
  const body = PART.encode({ fingerprint: shard.fingerprint, part: shard.part });
  const fits = bodyBytes(body) <= MAX_PART_BYTES;
  const item: Item = {
    pk: name.pk,
    sk: `${prefixOf(name)}${sortableNumber(shard.shard)}`,
    version: sortableNumber(shard.revision + 1),
    body: fits ? body : PART.encode({ fingerprint: '' }),
  };
  const before = shard.revision === 0 ? '' : sortableNumber(shard.revision);
  if (!(await compareAndPut(store, item, before))) return 'outdated';
  return fits ? 'stored' : 'too-large';
}

/** Removes the parts of earlier layout revisions. */
export async function removePartsBefore(store: ItemStore, name: PartsName): Promise<void> {
  const { pk, layoutRevision } = name;
  const from = prefixOf({ ...name, layoutRevision: 0 });
  const to = `${prefixOf({ ...name, layoutRevision: layoutRevision - 1 })}\u{10ffff}`;
  for await (const items of pages(store, { pk, from, to }))
    if (items.length > 0) await store.delete(items.map(({ sk }) => ({ key: { pk, sk } })));
}
