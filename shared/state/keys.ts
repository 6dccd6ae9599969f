import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import {
  parseSubject,
  type Subject,
  sourcePartition,
  workloadPartition,
} from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
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
  errorNote: 'TOLD#',
  notified: 'NOTIFIED#',
  destinations: 'DEST#',
  reported: 'SEEN#',
  schema: 'SCHEMA#',
  check: 'CHECK#',
} as const;

/** The bounds of a query for all sort keys with a prefix. */
export function range(pk: string, prefix: string): { pk: string; from: string; to: string } {
  return { pk, from: prefix, to: `${prefix}\u{10ffff}` };
}

const WEC_HASH_DIGITS = 8;
const wecHashes = new LRUCache<string, string>({
  // As a size, because the cache reserves room for `max` entries when it is made: in each function, at its cold start.
  maxSize: 100_000,
  sizeCalculation: () => 1,
  memoMethod: (wec) => createHash('sha256').update(wec).digest('hex').slice(0, WEC_HASH_DIGITS),
});

/** Eight hexadecimal digits that distribute WEC names evenly. Rows are stored in this order. */
export function wecHash(wec: string): string {
  return wecHashes.memo(wec);
}

/** The key of a WEC's last report about a workload object. */
export function rowKey(workload: WorkloadRef, wec: string): ItemKey {
  return { pk: workloadPartition(workload), sk: `${RANGE.row}${wecHash(wec)}#${wec}` };
}

/**
 * The key of the entry that a source has reported an item. {@link parseReportedKey} returns the item's key. A partition key may
 * contain `|`, because names in Kubernetes may. A sort key does not contain it.
 */
export function reportedKey(source: EventSource, item: ItemKey): ItemKey {
  return { pk: sourcePartition(source), sk: `${RANGE.reported}${item.pk}|${item.sk}` };
}

/** The key of the item in a {@link reportedKey}. */
export function parseReportedKey(sk: string): ItemKey {
  const separator = sk.lastIndexOf('|');
  return { pk: sk.slice(RANGE.reported.length, separator), sk: sk.slice(separator + 1) };
}

/** The item in a {@link reportedKey}, and its subject. Returns undefined if it is not such a key. */
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

/** DynamoDB's limit for a sort key; for a partition key it is twice that (Amazon DynamoDB, "Quotas", sort keys). */
const MAX_SORT_KEY_BYTES = 1024;

/** The maximum number of characters of `<namespace>/<name>` (Kubernetes, "Object Names and IDs"). */
const LONGEST_FLEET_NAME = 63 + 1 + 253;

/**
 * Whether the keys for a source's reports about an object are within DynamoDB's limits. The longest of them is the sort key of
 * a {@link reportedKey}, which contains all the names. For an object of Fleet, it may also be that of a row, which contains the
 * names of two objects.
 */
export function fitsKeys(source: EventSource, workload: WorkloadRef): boolean {
  const hash = '0'.repeat(WEC_HASH_DIGITS);
  const fits = (sk: string): boolean => Buffer.byteLength(sk) <= MAX_SORT_KEY_BYTES;
  if (source.type !== 'fleet')
    return fits(
      `${RANGE.reported}${workloadPartition(workload)}|${RANGE.row}${hash}#${source.name}`,
    );
  const { resource, namespace, name } = workload;
  const own = `${namespace}/${name}`;
  return (
    fits(`${RANGE.reported}F#${source.name}/${resource}/${own}|${SORT.object}`) &&
    fits(`CLUSTER#${hash}#${'n'.repeat(LONGEST_FLEET_NAME)}#${own}`)
  );
}

/** The key of the entry that names the subject of an object that Starfold has written. */
export function ownerKey(wds: string, namespace: string, name: string): ItemKey {
  return { pk: `O#${wds}/combinedstatuses/${namespace}/${name}`, sk: SORT.owner };
}

const DIGITS = 16;

/** A non-negative integer as a text that sorts like the number. */
export function sortableNumber(value: number): string {
  return String(value).padStart(DIGITS, '0');
}

/** A version as a text that sorts like (epoch, sequence). */
export function versionText(version: EventVersion): string {
  return `${sortableNumber(version.epoch)}.${sortableNumber(version.sequence)}`;
}

/** Parses a {@link versionText}. */
export function parseVersionText(text: string): EventVersion {
  const [epoch, sequence] = text.split('.').map(Number);
  return { epoch: epoch ?? 0, sequence: sequence ?? 0 };
}
