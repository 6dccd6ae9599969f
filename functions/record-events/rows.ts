import { runConcurrently } from '#shared/concurrency.ts';
import { earliestChange } from '#shared/messages/dirty.ts';
import type { Item, ItemKey, Put } from '#shared/ports/item-store.ts';
import { rowKey, versionText } from '#shared/state/keys.ts';
import { decodeRow, rowItem } from '#shared/state/rows.ts';
import { admit } from './admit.ts';
import { buryOutdated } from './bury.ts';
import type { FollowUps, ReceivedEvent, RecordDeps } from './follow-ups.ts';
import { freePlaces, type GoneRow } from './free-places.ts';
import { type RowStatement, rowStatement } from './row-statement.ts';

/** Each spec is read and written by itself; those of different rows need not wait for each other. */
const SPECS_AT_ONCE = 32;

/** Stores the specs of rows: before a row that names one is put. */
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

/** Of several statements about one row the newest alone is written. */
function newestOfEach(statements: readonly RowStatement[]): readonly RowStatement[] {
  const newest = new Map<string, RowStatement>();
  for (const statement of statements) {
    const { pk, sk } = rowKey(statement.workload, statement.wec);
    const key = `${pk} ${sk}`;
    const known = newest.get(key);
    if (known === undefined) newest.set(key, statement);
    else {
      const later = versionText(known.version) < versionText(statement.version) ? statement : known;
      const change = earliestChange([known, statement]);
      newest.set(key, { ...later, first: known.first || statement.first, ...change });
    }
  }
  return [...newest.values()];
}

function keyText({ pk, sk }: ItemKey): string {
  return `${pk} ${sk}`;
}

/** A statement, the item of its row, and what stood there when that had been put or refused. */
interface Outcome {
  readonly statement: RowStatement;
  readonly item: Item;
  readonly standing: Item | undefined;
}

/**
 * Whether a row that was refused is to be put as its object's first: no row stood there. Since then an older one may have been
 * put there by another invocation; what is newer than what stands is never left out.
 */
function isNewcomer({ statement, item, standing }: Outcome): boolean {
  return !statement.first && (standing?.version ?? '') < (item.version ?? '');
}

/**
 * The row whose tombstone stands, where a statement says that it is gone, or is its object's first and comes late: its entry
 * is there for nothing. Of a row that no Binding names a sweep decides: it may put that back.
 */
function goneRow({ statement, standing }: Outcome): readonly GoneRow[] {
  if (standing?.expiresAt === undefined) return [];
  if (statement.row !== undefined && !statement.first) return [];
  const isUnnamed = decodeRow(standing).unnamed !== undefined;
  return isUnnamed ? [] : [{ ...statement, tombstone: standing.version ?? '' }];
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
    standing: took[index] === true ? item : storedItems.get(keyText(item)),
  }));
}

/** What putting rows came to. */
interface PutRows {
  /** Keys, as text, of the rows whose subjects have to be told. */
  readonly told: ReadonlySet<string>;
  /** The same of new objects of WECs that have as many as they may: nothing was put. */
  readonly refused: ReadonlySet<string>;
  /** The same of objects that no Binding names. */
  readonly unnamed: ReadonlySet<string>;
  readonly gone: readonly GoneRow[];
}

const NONE_PUT: PutRows = { told: new Set(), refused: new Set(), unnamed: new Set(), gone: [] };

function keysOf(statements: readonly RowStatement[]): readonly string[] {
  return statements.map(({ workload, wec }) => keyText(rowKey(workload, wec)));
}

/**
 * Puts the rows that are newer than those stored. Where a row is put, there is an entry by which sweeps find it: of an event
 * that is its object's first it is put before; of another one a row stands already that has one, else the event counts as
 * the first.
 *
 * Told are the subjects of those that were put. Stored newer: whoever stored it tells. An equal version is told again:
 * whoever stored it may have crashed before telling.
 */
async function putRows(deps: RecordDeps, all: readonly RowStatement[]): Promise<PutRows> {
  if (all.length === 0) return NONE_PUT;
  const { admitted, refused, unnamed } = await admit(deps, all);
  const statements = await putSpecs(deps, admitted);
  const outcomes = await putNewer(deps, statements);
  const told = outcomes
    .filter(({ item, standing }) => standing?.version === item.version)
    .map(({ item }) => keyText(item));
  const newcomers = outcomes
    .filter(isNewcomer)
    .map(({ statement }) => ({ ...statement, first: true }));
  const others = await putRows(deps, newcomers);
  return {
    told: new Set([...told, ...others.told]),
    refused: new Set([...keysOf([...refused]), ...others.refused]),
    unnamed: new Set([...keysOf([...unnamed]), ...others.unnamed]),
    gone: [...outcomes.flatMap(goneRow), ...others.gone],
  };
}

/**
 * Buries what is outdated of the rows that were recorded, and adds whom these ownedObject.
 *
 * @returns those in whose place a tombstone is now
 */
async function tellOf(
  deps: RecordDeps,
  {
    recorded,
    told,
  }: { readonly recorded: readonly RowStatement[]; readonly told: ReadonlySet<string> },
  followUps: FollowUps,
): Promise<readonly GoneRow[]> {
  const outdated = recorded.length === 0 ? [] : await buryOutdated(deps, recorded);
  const buried = new Set(outdated.map(({ statement }) => statement));
  for (const statement of recorded) {
    const { workload, wec, version } = statement;
    if (!(told.has(keyText(rowKey(workload, wec))) || buried.has(statement))) continue;
    const cause = `${wec}@${versionText(version)}`;
    followUps.add(
      { type: 'workload', workload },
      {
        cause: buried.has(statement) ? `${cause} buried` : cause,
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

/** The events of rows that say that an object is there. */
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

/** What recording rows came to. */
export interface RecordedRows {
  /** Events that shared the row of another one. */
  readonly coalesced: number;
  /** Events that say of a new object that it is there, of WECs that have as many as they may. */
  readonly overQuota: ReadonlySet<ReceivedEvent>;
}

/**
 * Records what WECs say of objects, and adds whom it concerns. Of a new object of a WEC that has as many as it may nothing is
 * recorded; where one goes that is not known, nothing is amiss.
 */
export async function recordRows(
  deps: RecordDeps,
  events: readonly ReceivedEvent[],
  followUps: FollowUps,
): Promise<RecordedRows> {
  const statements = events.flatMap((event) => rowStatement(event) ?? []);
  const newest = newestOfEach(statements);
  const put = await putRows(deps, newest);
  const recorded = newest.filter(({ workload, wec }) => {
    const key = keyText(rowKey(workload, wec));
    return !(put.refused.has(key) || put.unnamed.has(key));
  });
  const buried = await tellOf(deps, { recorded, told: put.told }, followUps);
  await freePlaces(deps, [...put.gone, ...buried]);
  const { refused } = put;
  return {
    coalesced: statements.length - newest.length,
    overQuota: refused.size === 0 ? NO_EVENTS : eventsOf(events, refused),
  };
}
