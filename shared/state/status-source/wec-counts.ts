import { type Census, isComplete, partsOf } from '#shared/core/status-api/census.ts';
import { isUnhealthy, type WecCounts } from '#shared/core/status-api/wec-counts.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { decodeHead, type Head } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { readPartsOf } from '#shared/state/parts.ts';
import { shardOf } from '#shared/state/shards.ts';
import type { BoundObjects } from './bound-object.ts';
import { censusOfPart } from './census-names.ts';
import { type Destination, type ReportDeps, readReports } from './reports.ts';
import { findSentObjects, type SentDeps, type SentObject } from './sent-objects.ts';

/** What counts are read from. */
export interface CountDeps extends SentDeps, ReportDeps {
  readonly objects: BoundObjects;
}

/** How much one answer reads. */
export interface CountBounds {
  /** The most objects. With more of them, nothing is counted. */
  readonly objects: number;
  /** The most parts and rows. With more of them, the unhealthy objects are not counted. */
  readonly partsAndRows: number;
}

/** So many heads are read at a time. */
const MAX_HEADS = 200;
/** So many rows are read at a time: a row may have more than a megabyte. */
const MAX_ROWS = 16;

/** Thrown when an answer would read too much. */
class TooMany extends Error {}

function batchesOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** The WECs to which Bindings send an object, of those that were asked for. */
function sentTo({ lists }: SentObject, wecs: readonly string[]): readonly string[] {
  return wecs.filter((wec) => lists.some(({ set }) => set.has(wec)));
}

function countObjects(
  objects: readonly SentObject[],
  wecs: readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map(wecs.map((wec) => [wec, 0]));
  // Most objects share the lists of a few Bindings.
  const alike = Map.groupBy(objects, ({ lists }) =>
    lists
      .map(({ hash }) => hash)
      .sort()
      .join(' '),
  );
  for (const [first, ...others] of alike.values())
    if (first !== undefined)
      for (const wec of sentTo(first, wecs))
        counts.set(wec, (counts.get(wec) ?? 0) + 1 + others.length);
  return counts;
}

/** Counts the unhealthy objects of some WECs: by the censuses of the objects, and by rows where no census says. */
class UnhealthyCount {
  readonly #deps: CountDeps;
  readonly #wecs: readonly string[];
  readonly #counts: Map<string, number>;
  /** The parts and rows that may still be read. */
  #left: number;

  constructor(deps: CountDeps, wecs: readonly string[], mostRead: number) {
    this.#deps = deps;
    this.#left = mostRead;
    this.#wecs = wecs;
    this.#counts = new Map(wecs.map((wec) => [wec, 0]));
  }

  /** @throws TooMany */
  async of(objects: readonly SentObject[]): Promise<ReadonlyMap<string, number>> {
    for (const batch of batchesOf(objects, MAX_HEADS)) {
      const keys = batch.map(({ workload }) => ({
        pk: subjectPartition({ type: 'workload', workload }),
        sk: SORT.head,
      }));
      const heads = await this.#deps.store.get(keys);
      for (const [index, object] of batch.entries()) {
        const wecs = await this.#byCensus(object, decodeHead(heads[index]));
        await this.#byRows(object, wecs);
      }
    }
    return this.#counts;
  }

  #pay(items: number): void {
    this.#left -= items;
    if (this.#left < 0) throw new TooMany();
  }

  /** Counts what the censuses of an object say. Returns the WECs of which they say nothing. */
  async #byCensus(object: SentObject, { census, ...head }: Head): Promise<readonly string[]> {
    const isAny = Object.keys(census?.counts ?? {}).some((one) => isUnhealthy(partsOf(one).health));
    if (census !== undefined && !isAny) return [];
    const wecs = sentTo(object, this.#wecs);
    if (census === undefined) return wecs;
    if (isComplete(census)) {
      this.#addNamed(census, new Set(wecs));
      return [];
    }
    return this.#byParts(object, head, wecs);
  }

  async #byParts(
    { workload }: SentObject,
    { shards, layoutRevision }: Pick<Head, 'shards' | 'layoutRevision'>,
    wecs: readonly string[],
  ): Promise<readonly string[]> {
    if (shards === 1) return wecs;
    const byShard = Map.groupBy(wecs, (wec) => shardOf(wec, shards));
    this.#pay(byShard.size);
    const name = { pk: subjectPartition({ type: 'workload', workload }), layoutRevision };
    const parts = await readPartsOf(this.#deps.store, name, [...byShard.keys()]);
    return [...byShard].flatMap(([shard, own]) => {
      const census = censusOfPart(parts.get(shard));
      if (census === undefined) return own;
      this.#addNamed(census, new Set(own));
      return [];
    });
  }

  #addNamed({ first }: Census, wecs: ReadonlySet<string>): void {
    for (const [wec, finding] of first)
      if (wecs.has(wec) && isUnhealthy(partsOf(finding).health)) this.#add(wec);
  }

  #add(wec: string): void {
    this.#counts.set(wec, (this.#counts.get(wec) ?? 0) + 1);
  }

  async #byRows({ workload }: SentObject, wecs: readonly string[]): Promise<void> {
    if (wecs.length === 0) return;
    this.#pay(wecs.length);
    const { wds: _wds, ...name } = workload;
    const bound = await this.#deps.objects.read(name);
    if (bound === undefined) return;
    const destinations = wecs.map((wec): Destination => ({ bound, wec }));
    for (const batch of batchesOf(destinations, MAX_ROWS)) {
      const { statuses } = await readReports(this.#deps, batch);
      for (const { wec, health } of statuses) if (isUnhealthy(health?.status)) this.#add(wec);
    }
  }
}

async function unhealthyOf(
  count: UnhealthyCount,
  objects: readonly SentObject[],
): Promise<ReadonlyMap<string, number>> {
  try {
    return await count.of(objects);
  } catch (error) {
    if (error instanceof TooMany) return new Map();
    throw error;
  }
}

/**
 * Counts the objects that Bindings send to some WECs. No row is read as long as the censuses of the objects name their unhealthy
 * WECs, so the count follows a row by the time that an aggregation takes.
 */
export async function countWecs(
  deps: CountDeps,
  wecs: readonly string[],
  bounds: CountBounds,
): Promise<ReadonlyMap<string, WecCounts>> {
  const objects = await findSentObjects(deps, wecs, bounds.objects);
  if (objects === undefined) return new Map();
  const counts = countObjects(objects, wecs);
  const unhealthy = await unhealthyOf(new UnhealthyCount(deps, wecs, bounds.partsAndRows), objects);
  return new Map(
    wecs.map((wec) => {
      const unhealthyObjects = unhealthy.get(wec);
      const known = unhealthyObjects === undefined ? {} : { unhealthyObjects };
      return [wec, { objects: counts.get(wec) ?? 0, ...known }];
    }),
  );
}
