import type { EventSource } from '#shared/core/event.ts';
import type { WecRow } from '#shared/core/row.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import { rowKey, seenKey, sourcePartition } from '#shared/state/keys.ts';
import { OBJECTS_PER_WEC, returnPlaces, takePlaces } from '#shared/state/quota.ts';
import { decodeRow } from '#shared/state/rows.ts';
import { sourceText } from '#shared/state/senders.ts';
import { areLongUnnamed } from '#shared/state/unnamed.ts';
import type { ReceivedEvent, RecordDeps } from './consequences.ts';

/** What a WEC says of an object. */
interface Statement {
  /** Absent: it is gone. */
  readonly row?: WecRow;
  readonly workload: WorkloadRef;
  readonly wec: string;
  readonly source: EventSource;
  /** As of the event: an entry is put for it. */
  readonly first: boolean;
}

/** What is recorded of some statements, and what is not. */
export interface Admission<S> {
  readonly admitted: readonly S[];
  /** Of new objects of sources that have too many. */
  readonly refused: readonly S[];
  /** Of objects whose rows have gone because no Binding names them: nothing has changed about that. */
  readonly unnamed: readonly S[];
  /** The places that were taken. */
  readonly taken: readonly TakenPlaces[];
}

/** Places that a source got for new objects. */
interface TakenPlaces {
  readonly source: EventSource;
  readonly count: number;
}

/** How many objects a WEC may have. */
export function objectsPerWec({ objectsPerWec: limit = OBJECTS_PER_WEC }: RecordDeps): number {
  return limit;
}

/** Those of objects of which their source has no entry. */
async function newOnes<S extends Statement>(
  deps: RecordDeps,
  statements: readonly S[],
): Promise<readonly S[]> {
  const firsts = statements.filter(({ first }) => first);
  if (firsts.length === 0) return [];
  const entries = await deps.store.get(
    firsts.map(({ source, workload, wec }) => seenKey(source, rowKey(workload, wec))),
  );
  return firsts.filter((_statement, index) => entries[index] === undefined);
}

/**
 * Those of which the row has gone because no Binding had named the object for long, and still none does. An object of another
 * UID is another one: it may have been made for a Binding of which nothing is known yet.
 */
async function unnamedOnes<S extends Statement>(
  deps: RecordDeps,
  fresh: readonly S[],
): Promise<readonly S[]> {
  const keys = fresh.map(({ workload, wec }) => rowKey(workload, wec));
  const items = await deps.store.get(keys);
  const known = fresh.flatMap((statement, index) => {
    const [item, { row }] = [items[index], statement];
    const uid = item && decodeRow(item).unnamed;
    const isIt = uid !== undefined && uid !== '' && (row === undefined || row.uid === uid);
    return isIt ? [{ statement, pk: item?.pk ?? '' }] : [];
  });
  const partitions = known.map(({ pk }) => pk);
  const areUnnamed = await areLongUnnamed(deps.store, partitions, deps.clock());
  return known.filter((_one, index) => areUnnamed[index]).map(({ statement }) => statement);
}

/**
 * Takes a place for each object of which its source has no entry yet. What is said of others is admitted, whatever the quota:
 * an event that is not its object's first asks for no place, and costs nothing here.
 */
export async function admit<S extends Statement>(
  deps: RecordDeps,
  statements: readonly S[],
): Promise<Admission<S>> {
  const fresh = await newOnes(deps, statements);
  if (fresh.length === 0) return { admitted: statements, refused: [], unnamed: [], taken: [] };
  const unnamed = new Set(await unnamedOnes(deps, fresh));
  const asking = fresh.filter((statement) => !unnamed.has(statement));
  const bySource = Map.groupBy(asking, ({ source }) => sourcePartition(source));
  const refused = new Set<S>();
  const taken: TakenPlaces[] = [];
  for (const own of bySource.values()) {
    const source = own[0]?.source;
    if (source === undefined) continue;
    const wanted = own.length;
    const given = await takePlaces(deps.store, { source, wanted, limit: objectsPerWec(deps) });
    if (given > 0) taken.push({ source, count: given });
    for (const statement of own.slice(given)) refused.add(statement);
  }
  return {
    admitted: statements.filter((one) => !(refused.has(one) || unnamed.has(one))),
    refused: [...refused],
    unnamed: [...unnamed],
    taken,
  };
}

/**
 * Does what puts entries for which places were taken. Where they cannot be put, the places are given back: who tries again and again
 * while a store is overloaded has as many objects as before.
 *
 * @throws what `put` throws
 */
export async function withPlaces<T>(
  deps: RecordDeps,
  taken: readonly TakenPlaces[],
  put: () => Promise<T>,
): Promise<T> {
  try {
    return await put();
  } catch (error) {
    // What cannot be given back counts until the next recount.
    await Promise.allSettled(taken.map((places) => returnPlaces(deps.store, places)));
    throw error;
  }
}

/** What is wrong with events of new objects of sources that have too many: one text for each source, for people. */
export function quotaReasons(
  deps: RecordDeps,
  refused: readonly ReceivedEvent[],
): readonly string[] {
  const bySource = Map.groupBy(refused, ({ source }) => sourceText(source));
  return [...bySource].map(([source, events]) => {
    const content = events[0]?.content;
    const example = content?.type === 'wec-object' ? workloadTitle(content.subject) : '';
    return `${source} has reached its quota of ${objectsPerWec(deps)} objects: have its forwarder select fewer, or raise objectsPerWec; a later snapshot brings the ${events.length} events of new ones that were left out, such as of ${example}`;
  });
}
