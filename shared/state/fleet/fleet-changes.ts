import type { ChangeJournal, JournalEntry, JournaledKeys } from '#shared/ports/change-journal.ts';
import { silenceKey } from '#shared/state/silence.ts';
import { coalesced, type SourceOfChanges, type What } from '#shared/state/status-source/changes.ts';

/** The items of which a change is a change of a BundleDeployment: its row below its Bundle, and whether an agent is silent. */
export const FLEET_JOURNALED_KEYS: readonly JournaledKeys[] = [
  { pk: 'F#', sk: 'CLUSTER#' },
  { pk: silenceKey('', { upstream: '' }).pk, sk: '' },
];

function changeOf(upstream: string, { pk, sk }: JournalEntry): What | undefined {
  if (pk === silenceKey('', { upstream }).pk) return { type: 'fleet-cluster', cluster: sk };
  if (!pk.startsWith(`F#${upstream}/bundles/`)) return undefined;
  const [, , , own = ''] = sk.split('#');
  const [namespace = '', name = ''] = own.split('/');
  return name === '' ? undefined : { type: 'bundle-deployment', namespace, name };
}

/** Tells of changes in a management cluster by the journal of the store. The journal records {@link FLEET_JOURNALED_KEYS}. */
export function fleetChanges(upstream: string, journal: ChangeJournal): SourceOfChanges {
  return {
    revision: () => journal.revision(),
    async changes(after) {
      const found = await journal.after(after);
      const of = (entry: JournalEntry): What | undefined => changeOf(upstream, entry);
      return found && { revision: found.revision, changed: coalesced(found.entries, of) };
    },
    subscribe: (listener) => journal.subscribe(listener),
  };
}
