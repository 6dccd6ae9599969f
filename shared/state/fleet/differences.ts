import * as z from 'zod/mini';
import { AGGREGATED_RESOURCES, FLEET_KINDS } from '#shared/core/fleet/fleet-object.ts';
import type { StatusDifference } from '#shared/core/fleet/status-differences.ts';
import { equalJson, type JsonObject } from '#shared/core/json.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { stalledExpiry, tombstoneExpiry } from '#shared/state/rows.ts';

/** How the status of an object of Fleet differs from what it should be. */
export interface ObjectDifferences {
  readonly subject: FleetSubject;
  /** Since when there are differences, milliseconds since the epoch. */
  readonly sinceMs: number;
  /** How many there are. */
  readonly total: number;
  /** Some of them: see `statusDifferences`. */
  readonly differences: readonly StatusDifference[];
  /** What the API server said when it refused the status. */
  readonly refused?: string;
}

/** What was found of an object; a total of 0 and no refusal: it is as it should be, or gone. */
export interface FoundDifferences extends Omit<ObjectDifferences, 'subject' | 'sinceMs'> {
  /** Revision of what was applied for the object; see `Applied`. */
  readonly revision: number;
  readonly nowMs: number;
}

const DIFFERENCES = bodyCodec<ObjectDifferences>(
  'list of differences',
  z.looseObject({
    subject: z.looseObject({
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

/** The partition of markers: an item without a body for each object that differs, so that they are counted at little cost. */
function markerPartition(upstream: string): string {
  return `FLEETDIFFS#${upstream}`;
}

function markerKeyOf(subject: FleetSubject): ItemKey {
  return { pk: markerPartition(subject.upstream), sk: keyOf(subject).sk };
}

function isStored(item: Item): boolean {
  return item.body !== undefined;
}

/** Whether it is a marker, not the tombstone of one. */
function isMarked({ expiresAt }: Item): boolean {
  return expiresAt === undefined;
}

/** Whether an object is to be found among those that differ. */
function isAmiss({ total, refused }: Pick<FoundDifferences, 'total' | 'refused'>): boolean {
  return total > 0 || refused !== undefined;
}

/** The item that says what was found; `undefined`: the stored one says it already. */
function itemOf(
  stored: Item | undefined,
  subject: FleetSubject,
  { revision, nowMs, ...found }: FoundDifferences,
): Item | undefined {
  const key = keyOf(subject);
  const version = sortableNumber(revision);
  const before = stored !== undefined && isStored(stored) ? DIFFERENCES.decode(stored) : undefined;
  if (!isAmiss(found)) return before && { ...key, version, expiresAt: tombstoneExpiry(nowMs) };
  const after = { ...found, subject, sinceMs: before?.sinceMs ?? nowMs };
  if (before !== undefined && equalJson({ ...before } as never, { ...after } as never))
    return undefined;
  return { ...key, version, body: DIFFERENCES.encode(after) };
}

/**
 * The marker, or its tombstone; `undefined`: it need not be put.
 *
 * @param isNews whether what was found is: then the marker gets its version too, so that one that is late finds it
 */
function markerOf(
  stored: Item | undefined,
  found: FoundDifferences & { readonly subject: FleetSubject },
  isNews: boolean,
): Item | undefined {
  const amiss = isAmiss(found);
  const version = sortableNumber(found.revision);
  const isRight = amiss === (stored !== undefined && isMarked(stored));
  if (isRight && (!isNews || stored?.version === version)) return undefined;
  const marker = { ...markerKeyOf(found.subject), version };
  return amiss ? marker : { ...marker, expiresAt: stalledExpiry(found.nowMs) };
}

/**
 * Keeps how an object differs from what it should be, or that it does no more, unless something newer is stored. Nothing
 * is written where the same is stored.
 *
 * What differs is put before its marker, and taken away after it, so a marker never stands alone; one that a crash has
 * kept from standing is put the next time, also where nothing else has changed.
 */
export async function putDifferences(
  store: ItemStore,
  subject: FleetSubject,
  found: FoundDifferences,
): Promise<void> {
  const [stored, marker] = await store.get([keyOf(subject), markerKeyOf(subject)]);
  const details = itemOf(stored, subject, found);
  const items = [details, markerOf(marker, { ...found, subject }, details !== undefined)];
  for (const item of isAmiss(found) ? items : items.reverse()) {
    if (item === undefined) continue;
    const [took] = await store.put([{ item, condition: { type: 'newer' } }]);
    // Something newer is stored: the other item is for whoever stored it.
    if (took !== true) return;
  }
}

/**
 * The objects of a management cluster that differ from what they should be, by resource, namespace and name; one page of
 * them, which may be empty and still have a cursor.
 *
 * @param page the cursor of the page before, and the number of objects to look at
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

/** All of them, each read when it is asked for. */
export async function* allDifferences(
  store: ItemStore,
  upstream: string,
): AsyncGenerator<ObjectDifferences> {
  for await (const items of pages(store, { pk: partition(upstream) }))
    for (const item of items.filter(isStored)) yield DIFFERENCES.decode(item);
}

/** An object that differs as the API and the command line print it. */
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

/** How many objects of a management cluster differ from what they should be. */
export async function countDifferences(store: ItemStore, upstream: string): Promise<number> {
  let count = 0;
  for await (const items of pages(store, { pk: markerPartition(upstream) }))
    count += items.filter(isMarked).length;
  return count;
}
