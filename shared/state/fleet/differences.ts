import * as z from 'zod/mini';
import type { StatusDifference } from '#shared/core/fleet/status-differences.ts';
import { AGGREGATED_RESOURCES, FLEET_KINDS } from '#shared/core/fleet-object.ts';
import { equalJson, type JsonObject } from '#shared/core/json.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import { stalledExpiry, tombstoneExpiry } from '#shared/state/rows.ts';

/** The differences between the status of an object of Fleet and the desired status. */
export interface ObjectDifferences {
  readonly subject: FleetSubject;
  /** When the differences began, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** The number of differences. */
  readonly total: number;
  /** Some of the differences, see `statusDifferences`. */
  readonly differences: readonly StatusDifference[];
  /** The message of the API server that rejected the status. */
  readonly refused?: string;
}

/**
 * What was found for an object. If the total is 0 and there is no rejection, the status is correct or the object is deleted.
 */
export interface FoundDifferences extends Omit<ObjectDifferences, 'subject' | 'sinceMs'> {
  /** The revision of what was applied for the object, see `Applied`. */
  readonly revision: number;
  readonly nowMs: number;
}

const DIFFERENCES = bodyCodec<ObjectDifferences>(
  'list of differences',
  looseObject({
    subject: looseObject({
      type: z.literal('fleet'),
      upstream: z.string(),
      resource: z.enum(AGGREGATED_RESOURCES),
      namespace: z.string(),
      name: z.string(),
    }),
    sinceMs: z.number(),
    total: z.number(),
    differences: z.array(z.custom<StatusDifference>()),
    refused: z.exactOptional(z.string()),
  }),
);

function partition(upstream: string): string {
  return `FLEETDIFF#${upstream}`;
}

function keyOf({ upstream, resource, namespace, name }: FleetSubject): ItemKey {
  return { pk: partition(upstream), sk: `${resource}/${namespace}/${name}` };
}

/** The partition of markers. Each object that differs has a marker without a body, so they are cheap to count. */
function markerPartition(upstream: string): string {
  return `FLEETDIFFS#${upstream}`;
}

function markerKeyOf(subject: FleetSubject): ItemKey {
  return { pk: markerPartition(subject.upstream), sk: keyOf(subject).sk };
}

function isStored(item: Item): boolean {
  return item.body !== undefined;
}

/** Whether it is a marker and not the tombstone of one. */
function isMarked({ expiresAt }: Item): boolean {
  return expiresAt === undefined;
}

/** Whether an object belongs to those that differ. */
function hasDrift({ total, refused }: Pick<FoundDifferences, 'total' | 'refused'>): boolean {
  return total > 0 || refused !== undefined;
}

/** The item for what was found. Returns undefined if the stored item has the same content. */
function itemOf(
  stored: Item | undefined,
  subject: FleetSubject,
  { revision, nowMs, ...found }: FoundDifferences,
): Item | undefined {
  const key = keyOf(subject);
  const version = sortableNumber(revision);
  const before = stored !== undefined && isStored(stored) ? DIFFERENCES.decode(stored) : undefined;
  if (!hasDrift(found)) return before && { ...key, version, expiresAt: tombstoneExpiry(nowMs) };
  const after = { ...found, subject, sinceMs: before?.sinceMs ?? nowMs };
  if (before !== undefined && equalJson({ ...before } as never, { ...after } as never))
    return undefined;
  return { ...key, version, body: DIFFERENCES.encode(after) };
}

/**
 * The marker or its tombstone. Returns undefined if it does not need to be put.
 *
 * @param isNews whether what was found is new: then the marker gets the new version too, so that a late process finds the newer
 * version
 */
function markerOf(
  stored: Item | undefined,
  found: FoundDifferences & { readonly subject: FleetSubject },
  isNews: boolean,
): Item | undefined {
  const drift = hasDrift(found);
  const version = sortableNumber(found.revision);
  const isUpToDate = drift === (stored !== undefined && isMarked(stored));
  if (isUpToDate && (!isNews || stored?.version === version)) return undefined;
  const marker = { ...markerKeyOf(found.subject), version };
  return drift ? marker : { ...marker, expiresAt: stalledExpiry(found.nowMs) };
}

/**
 * Stores how an object differs from the desired status, or that it no longer differs, unless something newer is stored. If the
 * same is stored, nothing is written.
 *
 * The differences are put before the marker and removed after it, so there is never a marker without differences. If a crash
 * has prevented a marker, it is put the next time, even if nothing else has changed.
 */
export async function putDifferences(
  store: ItemStore,
  subject: FleetSubject,
  found: FoundDifferences,
): Promise<void> {
  const [stored, marker] = await store.get([keyOf(subject), markerKeyOf(subject)]);
  const details = itemOf(stored, subject, found);
  const items = [details, markerOf(marker, { ...found, subject }, details !== undefined)];
  for (const item of hasDrift(found) ? items : items.reverse()) {
    if (item === undefined) continue;
    const [took] = await store.put([{ item, condition: { type: 'newer' } }]);
    // Something newer is stored. The process that stored it also puts the other item.
    if (took !== true) return;
  }
}

/**
 * Reads one page of the objects of a management cluster that differ from the desired status, by resource, namespace and name. A
 * page may be empty and still have a cursor.
 *
 * @param page the cursor of the previous page, and the number of objects to read
 */
export async function readDifferences(
  store: ItemStore,
  upstream: string,
  page: { readonly cursor?: string; readonly limit?: number } = {},
): Promise<{ readonly objects: readonly ObjectDifferences[]; readonly cursor?: string }> {
  const { items, cursor } = await store.query({ pk: partition(upstream), ...page });
  const objects = items.filter(isStored).map((item) => DIFFERENCES.decode(item));
  return cursor === undefined ? { objects } : { objects, cursor };
}

/** All objects that differ. Each page is read when it is needed. */
export async function* allDifferences(
  store: ItemStore,
  upstream: string,
): AsyncGenerator<ObjectDifferences> {
  for await (const items of pages(store, { pk: partition(upstream) }))
    for (const item of items.filter(isStored)) yield DIFFERENCES.decode(item);
}

/** The form of an object that differs in the API and on the command line. */
export function differencesJson(object: ObjectDifferences): JsonObject {
  const { subject, sinceMs, total, differences, refused } = object;
  const { resource, namespace, name } = subject;
  return {
    kind: FLEET_KINDS[resource],
    namespace,
    name,
    since: new Date(sinceMs).toISOString(),
    total,
    differences: differences.map((one): JsonObject => ({ ...one })),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** The number of objects of a management cluster that differ from the desired status. */
export async function countDifferences(store: ItemStore, upstream: string): Promise<number> {
  let count = 0;
  for await (const items of pages(store, { pk: markerPartition(upstream) }))
    count += items.filter(isMarked).length;
  return count;
}
