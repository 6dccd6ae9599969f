import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import { parseSubject, type Subject, sourcePartition } from '#shared/core/subject.ts';
import { type WorkloadRef, workloadKey } from '#shared/core/workload.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';

/** Sort keys below a subject's partition. */
export const SORT = {
  head: 'HEAD',
  applied: 'APPLIED',
  object: 'OBJECT',
  spec: 'SPEC',
  policy: 'POLICY',
  snapshot: 'SNAPSHOT',
  epoch: 'EPOCH',
  owner: 'OWNER',
  trying: 'TRYING',
  objects: 'OBJECTS',
} as const;

/** Prefixes of sort keys that are ranges. */
export const RANGE = {
  row: 'R#',
  membership: 'BINDING#',
  result: 'RESULT#',
  part: 'PART#',
  member: 'MEMBER#',
  error: 'ERROR#',
  told: 'TOLD#',
  destinations: 'DEST#',
  reported: 'SEEN#',
  schema: 'SCHEMA#',
} as const;

/** The bounds of a query for every sort key with a prefix. */
export function range(pk: string, prefix: string): { pk: string; from: string; to: string } {
  return { pk, from: prefix, to: `${prefix}\u{10ffff}` };
}

const WEC_HASH_DIGITS = 8;
const wecHashes = new LRUCache<string, string>({
  max: 100_000,
  memoMethod: (wec) => createHash('sha256').update(wec).digest('hex').slice(0, WEC_HASH_DIGITS),
});

/** Eight hexadecimal digits that spread WEC names evenly; rows are stored in their order. */
export function wecHash(wec: string): string {
  return wecHashes.memo(wec);
}

/** Key of what a WEC last said about a workload object. */
export function rowKey(workload: WorkloadRef, wec: string): ItemKey {
  return { pk: `W#${workloadKey(workload)}`, sk: `${RANGE.row}${wecHash(wec)}#${wec}` };
}

/**
 * Key of the entry that an item was reported by a source; {@link parseReportedKey} gives the item's key back. A partition key may
 * have `|` in it, as names in Kubernetes may; a sort key has none.
 */
export function reportedKey(source: EventSource, item: ItemKey): ItemKey {
  return { pk: sourcePartition(source), sk: `${RANGE.reported}${item.pk}|${item.sk}` };
}

/** The key of the item that a {@link reportedKey} speaks of. */
export function parseReportedKey(sk: string): ItemKey {
  const separator = sk.lastIndexOf('|');
  return { pk: sk.slice(RANGE.reported.length, separator), sk: sk.slice(separator + 1) };
}

/** The item that a {@link reportedKey} speaks of, and its subject; `undefined` where it is no such key. */
export function parseReportedEntry(
  sk: string,
): { readonly key: ItemKey; readonly subject: Subject } | undefined {
  const key = parseReportedKey(sk);
  try {
    return { key, subject: parseSubject(key.pk) };
  } catch {
    return undefined;
  }
}

/** DynamoDB's limit for a sort key; twice that for a partition key (Amazon DynamoDB, "Quotas", sort keys). */
const MAX_SORT_KEY_BYTES = 1024;

/** Characters of `<namespace>/<name>`, at most (Kubernetes, "Object Names and IDs"). */
const LONGEST_FLEET_NAME = 63 + 1 + 253;

/**
 * Whether the keys of what a source says of an object are within DynamoDB's limits. The longest of them is the sort key of a
 * {@link reportedKey}, in which all the names stand; of an object of Fleet also that of a row, which names it and another one.
 */
export function fitsKeys(source: EventSource, workload: WorkloadRef): boolean {
  const hash = '0'.repeat(WEC_HASH_DIGITS);
  const fits = (sk: string): boolean => Buffer.byteLength(sk) <= MAX_SORT_KEY_BYTES;
  if (source.type !== 'fleet')
    return fits(`${RANGE.reported}W#${workloadKey(workload)}|${RANGE.row}${hash}#${source.name}`);
  const { resource, namespace, name } = workload;
  const own = `${namespace}/${name}`;
  return (
    fits(`${RANGE.reported}F#${source.name}/${resource}/${own}|${SORT.object}`) &&
    fits(`CLUSTER#${hash}#${'n'.repeat(LONGEST_FLEET_NAME)}#${own}`)
  );
}

/** Key of the entry that tells which subject an object written by Starfold belongs to. */
export function ownerKey(wds: string, namespace: string, name: string): ItemKey {
  return { pk: `O#${wds}/combinedstatuses/${namespace}/${name}`, sk: SORT.owner };
}

const DIGITS = 16;

/** A non-negative integer as text that sorts as the number does. */
export function sortableNumber(value: number): string {
  return String(value).padStart(DIGITS, '0');
}

/** A version as text that sorts as (epoch, sequence) does. */
export function versionText(version: EventVersion): string {
  return `${sortableNumber(version.epoch)}.${sortableNumber(version.sequence)}`;
}

/** The version that a {@link versionText} says. */
export function parseVersionText(text: string): EventVersion {
  const [epoch, sequence] = text.split('.').map(Number);
  return { epoch: epoch ?? 0, sequence: sequence ?? 0 };
}
