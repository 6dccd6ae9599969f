import { runConcurrently } from '#shared/concurrency.ts';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WecRow } from '#shared/core/row.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { lastEpochAt, MAX_SEQUENCE } from '#shared/events/epoch.ts';
import { type ChangeTime, earliestChange } from '#shared/messages/dirty.ts';
import type { Item, ItemKey, Put } from '#shared/ports/item-store.ts';
import {
  parseVersionText,
  rowKey,
  SORT,
  seenKey,
  sourcePartition,
  versionText,
} from '#shared/state/keys.ts';
import { rowItem } from '#shared/state/rows.ts';
import { admit, withPlaces } from './admit.ts';
import type { Consequences, ReceivedEvent, RecordDeps } from './consequences.ts';

/** Each spec is read and written by itself; those of different rows need not wait for each other. */
const SPECS_AT_ONCE = 32;

interface RowStatement extends ChangeTime {
  readonly workload: WorkloadRef;
  readonly wec: string;
  readonly version: EventVersion;
  readonly source: EventSource;
  readonly first: boolean;
  readonly row?: WecRow;
  /** Of the row, as long as it is not stored. */
  readonly spec?: JsonValue;
  readonly oversizedBytes?: number;
}

function rowStatement(event: ReceivedEvent): RowStatement | undefined {
  const { content, source, version } = event;
  if (content.type !== 'wec-object') return undefined;
  const workload = { wds: content.wds, ...content.subject };
  const change = earliestChange([event]);
  const { first, returned: said } = content;
  const base = { workload, wec: source.name, version, source, first, ...change };
  if (said === undefined) return base;
  const { spec, oversizedBytes, ...returned } = said;
  return {
    ...base,
    row: { wec: source.name, ...returned },
    ...(spec === undefined ? {} : { spec }),
    ...(oversizedBytes === undefined ? {} : { oversizedBytes }),
  };
}

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

async function putIndex(deps: RecordDeps, statements: readonly RowStatement[]): Promise<void> {
  const puts = statements
    .filter((statement) => statement.first)
    .map(
      ({ source, workload, wec, version }): Put => ({
        item: { ...seenKey(source, rowKey(workload, wec)), version: versionText(version) },
        condition: { type: 'newer' },
      }),
    );
  if (puts.length > 0) await deps.store.put(puts);
}

/**
 * Rows that are older than the last complete listing of their source are gone already: a message that was held up can
 * bring one after the sweep. The floor is read after the rows were put, the sweep looks for rows after it put the floor;
 * so one of the two sees the other.
 */
async function buryOutdated(
  deps: RecordDeps,
  statements: readonly RowStatement[],
): Promise<readonly RowStatement[]> {
  const sources = new Map(statements.map(({ source }) => [sourcePartition(source), source]));
  const floors = await deps.store.get([...sources.keys()].map((pk) => ({ pk, sk: SORT.snapshot })));
  const floorOf = new Map(floors.map((item) => [item?.pk, item?.version]));
  const outdated = statements.filter(({ source, version }) => {
    const floor = floorOf.get(sourcePartition(source));
    return floor !== undefined && versionText(version) < floor;
  });
  if (outdated.length === 0) return [];
  // A floor that is ahead of the clock: when the source is removed its tombstones have to be found.
  const limit = versionText({ epoch: lastEpochAt(deps.clock()), sequence: MAX_SEQUENCE });
  const ahead = outdated.flatMap((statement): RowStatement[] => {
    const floor = floorOf.get(sourcePartition(statement.source)) ?? '';
    return floor > limit ? [{ ...statement, version: parseVersionText(floor), first: true }] : [];
  });
  await putIndex(deps, ahead);
  await deps.store.put(
    outdated.map((statement): Put => {
      const item = rowItem(
        statement.workload,
        { wec: statement.wec, version: statement.version },
        deps.clock(),
      );
      const floor = floorOf.get(sourcePartition(statement.source)) ?? '';
      return { item: { ...item, version: floor }, condition: { type: 'newer' } };
    }),
  );
  return outdated;
}

function keyText({ pk, sk }: ItemKey): string {
  return `${pk} ${sk}`;
}

/**
 * Whether a row that was refused is to be put as its object's first: no row stood there. Since then an older one may have been
 * put there by another invocation; what is newer than what stands is never left out.
 */
function isNewcomer(
  { first }: RowStatement,
  { item, stored }: { readonly item: Item; readonly stored: Item | undefined },
): boolean {
  return !first && (stored?.version ?? '') < (item.version ?? '');
}

/** What putting rows came to. */
interface PutRows {
  /** Keys, as text, of the rows whose subjects have to be told. */
  readonly told: ReadonlySet<string>;
  /** The same of new objects of WECs that have as many as they may: nothing was put. */
  readonly refused: ReadonlySet<string>;
  /** The same of objects that no Binding names. */
  readonly unnamed: ReadonlySet<string>;
}

const NONE_PUT: PutRows = { told: new Set(), refused: new Set(), unnamed: new Set() };

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
  const { admitted, refused, unnamed, taken } = await admit(deps, all);
  const statements = await withPlaces(deps, taken, async () => {
    const stored = await putSpecs(deps, admitted);
    await putIndex(deps, stored);
    return stored;
  });
  const items = statements.map((statement) => rowItem(statement.workload, statement, deps.clock()));
  const took = await deps.store.put(
    items.map((item, index): Put => {
      const type = statements[index]?.first === true ? 'newer' : 'succeeds';
      return { item, condition: { type } };
    }),
  );
  const failed = items.filter((_item, index) => took[index] !== true);
  const stored = await deps.store.get(failed.map(({ pk, sk }): ItemKey => ({ pk, sk })));
  const storedItems = new Map(stored.flatMap((item) => (item ? [[keyText(item), item]] : [])));
  const told = new Set<string>();
  const newcomers: RowStatement[] = [];
  for (const [index, statement] of statements.entries()) {
    const item = items[index];
    if (item === undefined) continue;
    const key = keyText(item);
    const standing = storedItems.get(key);
    if (took[index] === true || standing?.version === item.version) told.add(key);
    else if (isNewcomer(statement, { item, stored: standing }))
      newcomers.push({ ...statement, first: true });
  }
  const others = await putRows(deps, newcomers);
  return {
    told: new Set([...told, ...others.told]),
    refused: new Set([...keysOf(refused), ...others.refused]),
    unnamed: new Set([...keysOf(unnamed), ...others.unnamed]),
  };
}

/** Buries what is outdated of the rows that were recorded, and adds whom these concern. */
async function tellOf(
  deps: RecordDeps,
  {
    recorded,
    told,
  }: { readonly recorded: readonly RowStatement[]; readonly told: ReadonlySet<string> },
  consequences: Consequences,
): Promise<void> {
  const buried = new Set(recorded.length === 0 ? [] : await buryOutdated(deps, recorded));
  for (const statement of recorded) {
    const { workload, wec, version } = statement;
    if (!(told.has(keyText(rowKey(workload, wec))) || buried.has(statement))) continue;
    const cause = `${wec}@${versionText(version)}`;
    consequences.add(
      { type: 'workload', workload },
      {
        cause: buried.has(statement) ? `${cause} buried` : cause,
        wec,
        ...earliestChange([statement]),
      },
    );
  }
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
  consequences: Consequences,
): Promise<RecordedRows> {
  const statements = events.flatMap((event) => rowStatement(event) ?? []);
  const newest = newestOfEach(statements);
  const put = await putRows(deps, newest);
  const recorded = newest.filter(({ workload, wec }) => {
    const key = keyText(rowKey(workload, wec));
    return !(put.refused.has(key) || put.unnamed.has(key));
  });
  await tellOf(deps, { recorded, told: put.told }, consequences);
  const { refused } = put;
  return {
    coalesced: statements.length - newest.length,
    overQuota: refused.size === 0 ? NO_EVENTS : eventsOf(events, refused),
  };
}
