import * as z from 'zod/mini';
import { compareJobs } from '#shared/core/fleet/git-job.ts';
import type { AggregatedResource } from '#shared/core/fleet-object.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  type FleetSubject,
  parseSubject,
  type Subject,
  subjectPartition,
} from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes, bodyCodec, type ContentCodec } from '#shared/state/body.ts';
import { range, wecHash } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { stalledExpiry } from '#shared/state/rows.ts';

/**
 * The families of rows below an object of Fleet. A row is about a Cluster or a Bundle. Rows are folded in shards by the hash of
 * that Cluster or Bundle.
 */
export const FLEET_FAMILIES = ['BUNDLE', 'CLUSTER'] as const;
/** See {@link FLEET_FAMILIES}. */
export type FleetFamily = (typeof FLEET_FAMILIES)[number];

/** Names rows of one family: all rows about the Cluster or Bundle `<namespace>/<name>`. */
export interface RowName {
  readonly family: FleetFamily;
  readonly id: string;
}

/** A row of a family. */
export interface FleetRow {
  readonly key: ItemKey;
  readonly id: string;
  /**
   * Distinguishes several rows about the same Cluster or Bundle. It is `''` for the row that does not come from a
   * BundleDeployment.
   */
  readonly own: string;
  readonly body: JsonValue;
}

const FLEET_ROW = bodyCodec<JsonValue>('row of Fleet', z.custom<JsonValue>());

/** The length of a row's body in bytes. */
export function fleetRowBytes(body: JsonValue): number {
  return bodyBytes(FLEET_ROW.encode(body));
}

/** Decodes the body of a row. */
export function decodeFleetRow(item: Item): JsonValue {
  return FLEET_ROW.decode(item);
}

/** Decodes the content of a row. */
export function readRow<T>(codec: ContentCodec<T>, { key, body }: FleetRow): T {
  return codec.decode(body, key);
}

/** Names as Kubernetes allows them in labels. None of them can form another key. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/** The object `<namespace>/<name>`. Returns undefined if the text names none. */
export function fleetSubject(
  upstream: string,
  resource: AggregatedResource,
  id: string,
): FleetSubject | undefined {
  const [namespace = '', name = '', ...rest] = id.split('/');
  const isName = NAME.test(namespace) && NAME.test(name) && rest.length === 0;
  return isName ? { type: 'fleet', upstream, resource, namespace, name } : undefined;
}

/** The key of a row: `<family>#<hash>#<id>#<own>`. Names in Kubernetes have no `#`. */
export function fleetRowKey(subject: Subject, { family, id }: RowName, own = ''): ItemKey {
  return { pk: subjectPartition(subject), sk: `${family}#${wecHash(id)}#${id}#${own}` };
}

/** The key of a Job below the GitRepo that owns it. */
export function jobKey(gitRepo: FleetSubject, name: string): ItemKey {
  return { pk: subjectPartition(gitRepo), sk: `${JOB}${name}` };
}

const JOB = 'JOB#';
/** Sorts after all keys with the prefix {@link JOB}. */
const JOBS = 'JOBS';

/**
 * The key of the item that says that a Job of a GitRepo was reported. It is put before the first Job, and stays when all Jobs
 * are deleted.
 *
 * @param pk the partition of the GitRepo
 */
export function jobsKey(pk: string): ItemKey {
  return { pk, sk: JOBS };
}

/** The name of a row in messages. */
export function rowNameText({ family, id }: RowName): string {
  return `${family}#${id}`;
}

/** The inverse of {@link rowNameText}. Returns undefined if the text does not name a row. */
export function parseRowName(text: string): RowName | undefined {
  const separator = text.indexOf('#');
  const family = FLEET_FAMILIES.find((one) => one === text.slice(0, Math.max(separator, 0)));
  return family === undefined ? undefined : { family, id: text.slice(separator + 1) };
}

/** The subject below which a row is stored, and the row's name. The name is absent if the key is of no family. */
export function parseRowKey({ pk, sk }: ItemKey): {
  readonly subject: Subject;
  readonly row?: RowName;
} {
  const subject = parseSubject(pk);
  const [name, , id] = sk.split('#');
  const family = FLEET_FAMILIES.find((one) => one === name);
  return family === undefined || id === undefined ? { subject } : { subject, row: { family, id } };
}

/**
 * The item of a row, or (undefined) the tombstone of one. The tombstone may expire soon: a late statement is rejected by the
 * stored state of the object that has the row, and its row is not put.
 */
export function fleetRowItem(
  key: ItemKey,
  body: JsonValue | undefined,
  origin: { readonly version: string; readonly nowMs: number },
): Item {
  const { version, nowMs } = origin;
  return body === undefined
    ? { ...key, version, expiresAt: stalledExpiry(nowMs) }
    : { ...key, version, body: FLEET_ROW.encode(body) };
}

/** Reads all rows of a family whose hash lies between two hashes (inclusive), in the order of their keys. */
export async function readFleetRows(
  store: ItemStore,
  { pk, family }: { readonly pk: string; readonly family: FleetFamily },
  hashes: { readonly from: string; readonly to: string },
): Promise<readonly FleetRow[]> {
  const rows: FleetRow[] = [];
  const bounds = { from: `${family}#${hashes.from}#`, to: `${family}#${hashes.to}#\u{10ffff}` };
  for await (const items of pages(store, { pk, ...bounds }))
    for (const item of items) {
      if (item.body === undefined) continue;
      const { pk: partition, sk } = item;
      const [, , id = '', own = ''] = sk.split('#');
      rows.push({ key: { pk: partition, sk }, id, own, body: FLEET_ROW.decode(item) });
    }
  return rows;
}

/** The Clusters or Bundles that rows of a family are about, each once. */
export async function readRowIds(
  store: ItemStore,
  { pk, family }: { readonly pk: string; readonly family: FleetFamily },
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const items of pages(store, range(pk, `${family}#`)))
    for (const { sk, body } of items) if (body !== undefined) ids.add(sk.split('#')[2] ?? '');
  return ids;
}

/** The first of two Jobs. */
function firstOf(a: JsonObject | null, b: JsonObject): JsonObject {
  return a === null || compareJobs(b, a) < 0 ? b : a;
}

/**
 * Reads the newest Job of a GitRepo, of those that {@link jobKey} stores. Returns `null` if there is none any more. Returns
 * undefined if no Job was ever reported: then nothing is known of them (they may not be watched).
 */
export async function readNewestJob(
  store: ItemStore,
  gitRepo: FleetSubject,
): Promise<JsonObject | null | undefined> {
  let newest: JsonObject | null = null;
  let isKnown = false;
  for await (const items of pages(store, { pk: subjectPartition(gitRepo), from: JOB, to: JOBS })) {
    isKnown ||= items.some(({ sk }) => sk === JOBS);
    const jobs = items.filter(({ sk, body }) => sk !== JOBS && body !== undefined);
    // record-events only puts objects.
    for (const item of jobs) newest = firstOf(newest, FLEET_ROW.decode(item) as JsonObject);
  }
  return isKnown ? newest : undefined;
}
