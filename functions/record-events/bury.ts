import { lastEpochAt, MAX_SEQUENCE } from '#shared/core/epoch.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { Put } from '#shared/ports/item-store.ts';
import { reportedKey, rowKey, SORT, versionText } from '#shared/state/keys.ts';
import { rowItem } from '#shared/state/rows.ts';
import type { RecordDeps } from './follow-ups.ts';
import type { RowStatement } from './row-statement.ts';

/** A statement that is older than the last complete listing of its source. */
interface Outdated {
  readonly statement: RowStatement;
  /** Version of the tombstone that is to take its place, as text. */
  readonly tombstone: string;
}

/** The same, when it has been buried. */
export interface Buried extends Outdated {
  /** Whether the tombstone took its place: something newer may stand there. */
  readonly took: boolean;
}

async function outdatedOnes(
  deps: RecordDeps,
  statements: readonly RowStatement[],
): Promise<readonly Outdated[]> {
  const sources = new Map(statements.map(({ source }) => [sourcePartition(source), source]));
  const floors = await deps.store.get([...sources.keys()].map((pk) => ({ pk, sk: SORT.snapshot })));
  const floorOf = new Map(floors.map((item) => [item?.pk, item?.version]));
  return statements.flatMap((statement) => {
    const floor = floorOf.get(sourcePartition(statement.source));
    return floor !== undefined && versionText(statement.version) < floor
      ? [{ statement, tombstone: floor }]
      : [];
  });
}

function entryOf({ statement, tombstone }: Outdated): Put {
  const { source, workload, wec } = statement;
  const item = { ...reportedKey(source, rowKey(workload, wec)), version: tombstone };
  return { item, condition: { type: 'newer' } };
}

function tombstoneOf(deps: RecordDeps, { statement, tombstone }: Outdated): Put {
  const { workload, wec, version } = statement;
  const item = { ...rowItem(workload, { wec, version }, deps.clock()), version: tombstone };
  return { item, condition: { type: 'newer' } };
}

/**
 * Rows that are older than the last complete listing of their source are gone already: a message that was held up can
 * bring one after the sweep. The floor is read after the rows were put, the sweep looks for rows after it put the floor;
 * so one of the two sees the other.
 *
 * @returns what is older
 */
export async function buryOutdated(
  deps: RecordDeps,
  statements: readonly RowStatement[],
): Promise<readonly Buried[]> {
  const outdated = await outdatedOnes(deps, statements);
  if (outdated.length === 0) return [];
  // A floor that is ahead of the clock: when the source is removed its tombstones have to be found.
  const limit = versionText({ epoch: lastEpochAt(deps.clock()), sequence: MAX_SEQUENCE });
  const ahead = outdated.filter(({ tombstone }) => tombstone > limit);
  if (ahead.length > 0) await deps.store.put(ahead.map(entryOf));
  const took = await deps.store.put(outdated.map((one) => tombstoneOf(deps, one)));
  return outdated.map((one, index) => ({ ...one, took: took[index] === true }));
}
