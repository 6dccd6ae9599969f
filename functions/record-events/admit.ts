import type { EventSource, EventVersion } from '#shared/core/event.ts';
import type { WecRow } from '#shared/core/row.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import type { Item, PutCondition } from '#shared/ports/item-store.ts';
import { reportedKey, rowKey, versionText } from '#shared/state/keys.ts';
import { OBJECTS_PER_WEC, type QuotaSlots, returnSlots, takeSlots } from '#shared/state/quota.ts';
import { decodeRow } from '#shared/state/rows.ts';
import { areLongUnnamed } from '#shared/state/unnamed.ts';
import type { ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { overQuota } from './messages.ts';

/** What a WEC reports about an object. */
interface Statement {
  /** Absent if the object was deleted. */
  readonly row?: WecRow;
  readonly workload: WorkloadRef;
  readonly wec: string;
  readonly version: EventVersion;
  readonly source: EventSource;
  /** Whether the event is the first of its object, so that an entry is put. */
  readonly first: boolean;
}

/** Which statements are recorded. */
export interface Admission<S> {
  readonly admitted: readonly S[];
  /** Statements of new objects of sources that have reached their quota. */
  readonly refused: ReadonlySet<S>;
  /** Statements of objects whose rows were removed because no Binding names them, and none does now. */
  readonly unnamed: ReadonlySet<S>;
}

/** The quota of a WEC. */
export function objectsPerWec({ objectsPerWec: limit = OBJECTS_PER_WEC }: RecordDeps): number {
  return limit;
}

/** A statement, and the entry of its object if one exists. */
interface StatementWithEntry<S> {
  readonly statement: S;
  readonly entry: Item | undefined;
}

async function readEntries<S extends Statement>(
  deps: RecordDeps,
  firsts: readonly S[],
): Promise<readonly StatementWithEntry<S>[]> {
  const entries = await deps.store.get(
    firsts.map(({ source, workload, wec }) => reportedKey(source, rowKey(workload, wec))),
  );
  return firsts.map((statement, index) => ({ statement, entry: entries[index] }));
}

/**
 * The statements whose rows were removed because no Binding had named the object for a long time, if none does now. An object
 * with another UID is another object: it may have been created for a Binding that is not known yet.
 */
async function unnamedOnes<S extends Statement>(
  deps: RecordDeps,
  fresh: readonly S[],
): Promise<readonly S[]> {
  const keys = fresh.map(({ workload, wec }) => rowKey(workload, wec));
  const items = await deps.store.get(keys);
  const candidates = fresh.flatMap((statement, index) => {
    const [item, { row }] = [items[index], statement];
    const uid = item && decodeRow(item).unnamed;
    const isIt = uid !== undefined && uid !== '' && (row === undefined || row.uid === uid);
    return isIt ? [{ statement, pk: item?.pk ?? '' }] : [];
  });
  const partitions = candidates.map(({ pk }) => pk);
  const areUnnamed = await areLongUnnamed(deps.store, partitions, deps.clock());
  return candidates.filter((_one, index) => areUnnamed[index]).map(({ statement }) => statement);
}

/** The slots that were taken for a source, and their statements. */
interface Taken<S> {
  readonly slots: QuotaSlots;
  readonly statements: readonly S[];
}

/**
 * Takes a slot for each of these objects, in one write for each source.
 *
 * @param taken receives the slots, even if a later write throws
 */
async function takeEach<S extends Statement>(
  deps: RecordDeps,
  asking: readonly S[],
  taken: Taken<S>[],
): Promise<void> {
  const limit = objectsPerWec(deps);
  for (const own of Map.groupBy(asking, ({ source }) => sourcePartition(source)).values()) {
    const source = own[0]?.source;
    if (source === undefined) continue;
    const slots = await takeSlots(deps.store, { source, wanted: own.length, limit });
    taken.push({ slots, statements: own.slice(0, slots.count) });
  }
}

/**
 * Frees the slots of objects whose entries were not put, so that retries against an overloaded store do not use up the quota.
 * A slot that cannot be freed counts until the next recount.
 */
async function giveBack<S extends Statement>(
  deps: RecordDeps,
  taken: readonly Taken<S>[],
): Promise<void> {
  const returns = taken.map(async ({ slots, statements }) => {
    const keys = statements.map(({ workload, wec }) => rowKey(workload, wec));
    const entries = await readEntries(deps, statements);
    const rows = await deps.store.get(keys);
    // The write that failed may have put some entries, and another process may have removed these since.
    const isUnused = ({ statement, entry }: StatementWithEntry<S>, index: number): boolean =>
      entry === undefined && (rows[index]?.version ?? '') < versionText(statement.version);
    await returnSlots(deps.store, { ...slots, count: entries.filter(isUnused).length });
  });
  await Promise.allSettled(returns);
}

/**
 * Puts entries that are newer than the ones that were read, each on the version that was read: so no entry is put without a
 * slot, even if another process removes one meanwhile. If two processes put the same entry, two slots are taken until the
 * next recount.
 *
 * @returns the statements whose entry was changed by another process
 */
async function putEntries<S extends Statement>(
  deps: RecordDeps,
  firsts: readonly StatementWithEntry<S>[],
): Promise<readonly S[]> {
  const puts = firsts.flatMap(({ statement, entry }) => {
    const { source, workload, wec } = statement;
    const version = versionText(statement.version);
    const before = entry?.version;
    if (before !== undefined && before >= version) return [];
    const item: Item = { ...reportedKey(source, rowKey(workload, wec)), version };
    const condition: PutCondition =
      before === undefined ? { type: 'absent' } : { type: 'unchanged', version: before };
    return [{ statement, put: { item, condition } }];
  });
  if (puts.length === 0) return [];
  const took = await deps.store.put(puts.map(({ put }) => put));
  return puts.filter((_put, index) => took[index] !== true).map(({ statement }) => statement);
}

/**
 * One attempt to put the entries.
 *
 * @returns the rejected statements, and those to retry because another process has changed their entry
 * @throws the error of the store; then the taken slots are freed
 */
async function enter<S extends Statement>(
  deps: RecordDeps,
  firsts: readonly S[],
): Promise<Omit<Admission<S>, 'admitted'> & { readonly again: readonly S[] }> {
  const withEntries = await readEntries(deps, firsts);
  const isFresh = ({ entry }: StatementWithEntry<S>): boolean => entry === undefined;
  const fresh = withEntries.filter(isFresh).map(({ statement }) => statement);
  const unnamed = new Set(await unnamedOnes(deps, fresh));
  const asking = fresh.filter((statement) => !unnamed.has(statement));
  const taken: Taken<S>[] = [];
  try {
    await takeEach(deps, asking, taken);
    const placed = new Set(taken.flatMap(({ statements }) => statements));
    const entered = withEntries.filter((one) => !isFresh(one) || placed.has(one.statement));
    const again = await putEntries(deps, entered);
    return { refused: new Set(asking.filter((one) => !placed.has(one))), unnamed, again };
  } catch (error) {
    await giveBack(deps, taken);
    throw error;
  }
}

/**
 * Puts an entry for each statement that is the first of its object, before the row is put: sweeps find the row by the entry. An
 * object without an entry takes a slot. All other statements are admitted, whatever the quota: they need no slot and cost
 * nothing here.
 */
export async function admit<S extends Statement>(
  deps: RecordDeps,
  statements: readonly S[],
): Promise<Admission<S>> {
  const refused = new Set<S>();
  const unnamed = new Set<S>();
  let firsts: readonly S[] = statements.filter(({ first }) => first);
  while (firsts.length > 0) {
    const entered = await enter(deps, firsts);
    for (const statement of entered.refused) refused.add(statement);
    for (const statement of entered.unnamed) unnamed.add(statement);
    firsts = entered.again;
  }
  const admitted = statements.filter((one) => !(refused.has(one) || unnamed.has(one)));
  return { admitted, refused, unnamed };
}

/** Why a quota rejected events: one text for each source. */
export function quotaReasons(
  deps: RecordDeps,
  refused: readonly ReceivedEvent[],
): readonly string[] {
  const bySource = Map.groupBy(refused, ({ source }) => sourceText(source));
  return [...bySource].map(([source, events]) => {
    const content = events[0]?.content;
    const example = content?.type === 'wec-object' ? workloadTitle(content.subject) : '';
    return overQuota(source, { quota: objectsPerWec(deps), events: events.length, example });
  });
}
