import { runConcurrently } from '#shared/concurrency.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import type { Item, ItemKey, Put } from '#shared/ports/item-store.ts';
import { rowKey, versionText } from '#shared/state/keys.ts';
import { decodeRow, rowItem } from '#shared/state/rows.ts';
import { admit } from './admit.ts';
import type { FollowUps, ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { type RowStatement, rowStatement } from './row-statement.ts';
import { freeSlots, type GoneRow, replaceOutdated } from './tombstones.ts';

/** Each spec is read and written separately. Specs of different rows do not wait for each other. */
const SPECS_AT_ONCE = 32;

/** Stores the specs of rows. A spec is stored before the row that names it. */
async function putSpecs(
  deps: RecordDeps,
  statements: readonly RowStatement[],
): Promise<readonly RowStatement[]> {
  const stored = [...statements];
  const jobs = statements.map((statement, index) => async () => {
    const { spec, row, ...rest } = statement;
    if (spec === undefined || row === undefined) return;
    const [specHash] = await deps.specs.put([spec]);
    stored[index] = { ...rest, row: { ...row, ...(specHash === undefined ? {} : { specHash }) } };
  });
  await runConcurrently(jobs, SPECS_AT_ONCE);
  return stored;
}

/** Only the newest of several statements about one row. */
function newestOfEach(statements: readonly RowStatement[]): readonly RowStatement[] {
  const newest = new Map<string, RowStatement>();
  for (const statement of statements) {
    const { pk, sk } = rowKey(statement.workload, statement.wec);
    const key = `${pk} ${sk}`;
    const previous = newest.get(key);
    if (previous === undefined) newest.set(key, statement);
    else {
      const later =
        versionText(previous.version) < versionText(statement.version) ? statement : previous;
      const change = earliestChange([previous, statement]);
      newest.set(key, { ...later, first: previous.first || statement.first, ...change });
    }
  }
  return [...newest.values()];
}

function keyText({ pk, sk }: ItemKey): string {
  return `${pk} ${sk}`;
}

/** A statement, the item of its row, and what was stored there after the item was put or rejected. */
interface Outcome {
  readonly statement: RowStatement;
  readonly item: Item;
  readonly stored: Item | undefined;
}

/**
 * Whether a rejected row is to be put as the first of its object: no row existed, although another invocation may have put an
 * older one since. A row that is newer than the stored one is never dropped.
 */
function isNewcomer({ statement, item, stored }: Outcome): boolean {
  return !statement.first && (stored?.version ?? '') < (item.version ?? '');
}

/**
 * The row that has a tombstone, if a statement says that the object was deleted, or if a late statement is the first of its
 * object: then the entry is not needed. For a row that no Binding names, a sweep decides, because it may restore the row.
 */
function goneRow({ statement, stored }: Outcome): readonly GoneRow[] {
  if (stored?.expiresAt === undefined) return [];
  if (statement.row !== undefined && !statement.first) return [];
  const isUnnamed = decodeRow(stored).unnamed !== undefined;
  return isUnnamed ? [] : [{ ...statement, tombstone: stored.version ?? '' }];
}

/** Puts rows that are newer than those stored. */
async function putNewer(
  deps: RecordDeps,
  statements: readonly RowStatement[],
): Promise<readonly Outcome[]> {
  const all = statements.map((statement) => {
    const item = rowItem(statement.workload, statement, deps.clock());
    const type = statement.first ? ('newer' as const) : ('succeeds' as const);
    return { statement, item, type };
  });
  const took = await deps.store.put(
    all.map(({ item, type }): Put => ({ item, condition: { type } })),
  );
  const failed = all.filter((_one, index) => took[index] !== true);
  const stored = await deps.store.get(failed.map(({ item: { pk, sk } }): ItemKey => ({ pk, sk })));
  const storedItems = new Map(stored.flatMap((item) => (item ? [[keyText(item), item]] : [])));
  return all.map(({ statement, item }, index) => ({
    statement,
    item,
    stored: took[index] === true ? item : storedItems.get(keyText(item)),
  }));
}

/** The outcome of putting rows. */
interface PutRows {
  /** Keys, as text, of the rows whose subjects have to be notified. */
  readonly changed: ReadonlySet<string>;
  /** Keys of new objects of WECs that have reached their quota: nothing was put. */
  readonly refused: ReadonlySet<string>;
  /** Keys of objects that no Binding names. */
  readonly unnamed: ReadonlySet<string>;
  readonly gone: readonly GoneRow[];
  /** Keys of rows that were tombstones after the put. */
  readonly ended: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();
const NONE_PUT: PutRows = { changed: NONE, refused: NONE, unnamed: NONE, gone: [], ended: NONE };

/** Whether a tombstone is stored. A row that a sweep may still restore is none. */
function isEnded({ stored }: Outcome): boolean {
  return stored?.expiresAt !== undefined && decodeRow(stored).row === undefined;
}

function keyOf({ workload, wec }: RowStatement): string {
  return keyText(rowKey(workload, wec));
}

/**
 * Puts rows that are newer than the stored ones. Each row that is put has an entry by which sweeps find it. For the first event
 * of an object, the entry is put before the row. Any other event replaces a row that has an entry already; if there is no such
 * row, the event counts as the first.
 *
 * The subject of each row that was put is notified. If a newer version is stored, the process that stored it notifies. If the
 * same version is stored, the subject is notified again, because the process that stored it may have crashed before it
 * notified.
 */
async function putRows(deps: RecordDeps, all: readonly RowStatement[]): Promise<PutRows> {
  if (all.length === 0) return NONE_PUT;
  const { admitted, refused, unnamed } = await admit(deps, all);
  const statements = await putSpecs(deps, admitted);
  const outcomes = await putNewer(deps, statements);
  const changed = outcomes
    .filter(({ item, stored }) => stored?.version === item.version)
    .map(({ item }) => keyText(item));
  const ended = outcomes.filter(isEnded).map(({ item }) => keyText(item));
  const newcomers = outcomes
    .filter(isNewcomer)
    .map(({ statement }) => ({ ...statement, first: true }));
  const others = await putRows(deps, newcomers);
  return {
    changed: new Set([...changed, ...others.changed]),
    refused: new Set([...[...refused].map(keyOf), ...others.refused]),
    unnamed: new Set([...[...unnamed].map(keyOf), ...others.unnamed]),
    gone: [...outcomes.flatMap(goneRow), ...others.gone],
    ended: new Set([...ended, ...others.ended]),
  };
}

/**
 * Adds the subjects of the rows that have changed to the follow-ups, also of outdated rows, which tombstones replace.
 *
 * @returns the rows that a tombstone has replaced
 */
async function followRows(
  deps: RecordDeps,
  { recorded, put }: { readonly recorded: readonly RowStatement[]; readonly put: PutRows },
  followUps: FollowUps,
): Promise<readonly GoneRow[]> {
  const isLive = (statement: RowStatement): boolean => !put.ended.has(keyOf(statement));
  const outdated = recorded.length === 0 ? [] : await replaceOutdated(deps, recorded, isLive);
  const replaced = new Set(outdated.map(({ statement }) => statement));
  for (const statement of recorded) {
    const { workload, wec, version } = statement;
    if (!(put.changed.has(keyOf(statement)) || replaced.has(statement))) continue;
    const cause = `${wec}@${versionText(version)}`;
    followUps.add(
      { type: 'workload', workload },
      {
        cause: replaced.has(statement) ? `${cause} outdated` : cause,
        wec,
        ...earliestChange([statement]),
      },
    );
  }
  return outdated
    .filter(({ took }) => took)
    .map(({ statement, tombstone }) => ({ ...statement, tombstone }));
}

const NO_EVENTS: ReadonlySet<ReceivedEvent> = new Set();

/** The events that report the object of one of these rows. */
function eventsOf(
  events: readonly ReceivedEvent[],
  rows: ReadonlySet<string>,
): ReadonlySet<ReceivedEvent> {
  return new Set(
    events.filter(({ content, source }) => {
      if (content.type !== 'wec-object' || content.returned === undefined) return false;
      const row = rowKey({ wds: content.wds, ...content.subject }, source.name);
      return rows.has(keyText(row));
    }),
  );
}

/** The outcome of recording rows. */
export interface RecordedRows {
  /** Events that shared the row of another one. */
  readonly coalesced: number;
  /** Events of new objects of WECs that have reached their quota. */
  readonly overQuota: ReadonlySet<ReceivedEvent>;
}

/**
 * Records what WECs report about objects, and adds the subjects to the follow-ups. A new object of a WEC that has reached its
 * quota is not recorded. The deletion of an unknown object is not an error.
 */
export async function recordRows(
  deps: RecordDeps,
  events: readonly ReceivedEvent[],
  followUps: FollowUps,
): Promise<RecordedRows> {
  const statements = events.flatMap((event) => rowStatement(event) ?? []);
  const newest = newestOfEach(statements);
  const put = await putRows(deps, newest);
  const recorded = newest.filter((statement) => {
    const key = keyOf(statement);
    return !(put.refused.has(key) || put.unnamed.has(key));
  });
  const replaced = await followRows(deps, { recorded, put }, followUps);
  await freeSlots(deps, [...put.gone, ...replaced]);
  const { refused } = put;
  return {
    coalesced: statements.length - newest.length,
    overQuota: refused.size === 0 ? NO_EVENTS : eventsOf(events, refused),
  };
}
