import { WORKLOAD_PARTITIONS } from '#shared/core/subject.ts';
import { parseWorkloadKey, type WorkloadRef } from '#shared/core/workload.ts';
import type { ChangeJournal, JournalEntry, JournaledKeys } from '#shared/ports/change-journal.ts';
import type { Changed, Changes } from '#shared/ports/status-source.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { namedPartition, parseNamedSortKey } from '#shared/state/named-objects.ts';
import { SET_ASIDE } from '#shared/state/set-aside.ts';
import { silenceKey } from '#shared/state/silence.ts';
import { CHANGED_INVENTORIES } from '#shared/state/wec-inventories.ts';

const NAMED = namedPartition('');
const SILENCES = silenceKey('').pk;
/** Only WECs have inventories and heartbeats that the API shows. */
const HEARTBEATS = heartbeatKey({ type: 'wec', name: '' });

/** The items of which a change is a change of what a {@link StatusSource} says. */
export const JOURNALED_KEYS: readonly JournaledKeys[] = [
  { pk: WORKLOAD_PARTITIONS, sk: RANGE.row },
  { pk: WORKLOAD_PARTITIONS, sk: RANGE.membership },
  { pk: WORKLOAD_PARTITIONS, sk: SORT.object },
  { pk: WORKLOAD_PARTITIONS, sk: SORT.head },
  { pk: WORKLOAD_PARTITIONS, sk: SORT.applied },
  // Lists find an object by its entry, which is put after the first membership.
  { pk: NAMED, sk: '', lives: true },
  { pk: SET_ASIDE, sk: WORKLOAD_PARTITIONS },
  { pk: SILENCES, sk: '' },
  // The entry of a WEC whose labels have changed begins to exist, and ends when every process reads the new ones.
  { pk: CHANGED_INVENTORIES, sk: '', lives: true },
  // The last contact is read when it is shown, so a new time of it is not a change.
  { pk: HEARTBEATS.pk, sk: HEARTBEATS.sk, lives: true },
];

/** A change, without its revision. */
export type What = Changed extends infer One
  ? One extends { readonly revision: number }
    ? Omit<One, 'revision'>
    : never
  : never;

function changeBelow({ wds: _wds, ...workload }: WorkloadRef, sk: string): What | undefined {
  if (sk.startsWith(RANGE.row)) {
    const wec = sk.slice(sk.lastIndexOf('#') + 1);
    return { type: 'wec-status', ref: { workload, wec } };
  }
  if (sk === SORT.object || sk.startsWith(RANGE.membership)) return { type: 'workload', workload };
  return sk === SORT.head || sk === SORT.applied ? { type: 'result', workload } : undefined;
}

/** What the change of an item means for the source of a WDS. Undefined if it means nothing. */
function changeOf(wds: string, { pk, sk }: JournalEntry): What | undefined {
  if (pk === SILENCES || pk === CHANGED_INVENTORIES) return { type: 'wec', wec: sk };
  if (pk === HEARTBEATS.pk) return { type: 'wec', wec: sk.slice(HEARTBEATS.sk.length) };
  if (pk === namedPartition(wds)) {
    const workload = parseNamedSortKey(sk);
    return workload && { type: 'workload', workload };
  }
  // That a subject is set aside is a change of its result.
  const [subject, below] = pk === SET_ASIDE ? [sk, SORT.head] : [pk, sk];
  if (!subject.startsWith(`${WORKLOAD_PARTITIONS}${wds}/`)) return undefined;
  return changeBelow(parseWorkloadKey(subject.slice(WORKLOAD_PARTITIONS.length)), below);
}

/** The last of the changes of each name, in the order of their revisions. */
export function coalesced(
  entries: readonly JournalEntry[],
  changeOf: (entry: JournalEntry) => What | undefined,
): readonly Changed[] {
  const last = new Map<string, Changed>();
  for (const entry of entries) {
    const what = changeOf(entry);
    if (what === undefined) continue;
    const key = JSON.stringify(what);
    // Behind what has changed since its change before.
    last.delete(key);
    last.set(key, { ...what, revision: entry.revision } as Changed);
  }
  return [...last.values()];
}

/** The part of a StatusSource that reports changes. */
export interface SourceOfChanges {
  revision(): Promise<number>;
  changes(after: number): Promise<Changes | undefined>;
  subscribe(listener: () => void): () => void;
}

/** Tells of changes in a WDS by the journal of its store. The journal records {@link JOURNALED_KEYS}. */
export function journaledChanges(wds: string, journal: ChangeJournal): SourceOfChanges {
  return {
    revision: () => journal.revision(),
    async changes(after) {
      const found = await journal.after(after);
      const of = (entry: JournalEntry): What | undefined => changeOf(wds, entry);
      return found && { revision: found.revision, changed: coalesced(found.entries, of) };
    },
    subscribe: (listener) => journal.subscribe(listener),
  };
}

/**
 * For a store without a journal: nobody can watch.
 *
 * @param revision the revision of now: it grows
 */
export function unknownChanges(revision: () => number): SourceOfChanges {
  return {
    revision: async () => revision(),
    changes: async () => undefined,
    subscribe: () => () => undefined,
  };
}
