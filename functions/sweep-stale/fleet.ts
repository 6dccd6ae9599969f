import { contactAt } from '#shared/core/fleet/cluster-contact.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Contact, readContacts } from '#shared/state/fleet/contacts.ts';
import { countDifferences } from '#shared/state/fleet/differences.ts';
import { fleetSubject, readRowIds } from '#shared/state/fleet/fleet-rows.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { type FleetSubject, subjectPartition } from '#shared/state/keys.ts';
import { readSilence, type Silence } from '#shared/state/silence.ts';
import { type Heard, type SettleSilenceDeps, settleSilence } from './settle-silence.ts';

/** What the sweep of the management clusters of Fleet has found. */
export interface SweepFleetOutcome {
  /** `<upstream>/<namespace>/<name>` of the Clusters of which it has told that their silence began, and that it ended. */
  readonly silent: readonly string[];
  readonly speaking: readonly string[];
  /**
   * How many objects there are of which Fleet's own status is not what it should be; absent: there is no management
   * cluster.
   */
  readonly differences?: number;
}

function heard({ name, version, lastSeen = '' }: Contact, nowMs: number): Heard {
  const isSilent = contactAt(lastSeen, nowMs).type === 'silent';
  return isSilent ? { name, version, silent: true, lastSeen } : { name, version, silent: false };
}

/** The Clusters, and the Bundles that have rows of them. */
async function subjectsOf(
  store: ItemStore,
  upstream: string,
  clusters: readonly Silence[],
): Promise<readonly FleetSubject[]> {
  const subjects = new Map<string, FleetSubject>();
  const add = (subject: FleetSubject | undefined): void => {
    if (subject !== undefined) subjects.set(subjectPartition(subject), subject);
  };
  for (const { name } of clusters) {
    const cluster = fleetSubject(upstream, 'clusters', name);
    add(cluster);
    if (cluster === undefined) continue;
    const pk = subjectPartition(cluster);
    for (const id of await readRowIds(store, { pk, family: 'BUNDLE' }))
      add(fleetSubject(upstream, 'bundles', id));
  }
  return [...subjects.values()];
}

/**
 * Finds the Clusters of Fleet whose agents have fallen silent, and those that report again, and tells them and the Bundles
 * that have rows of them (docs/fleet.md, "Decisions"); and counts the objects that differ. As `sweepStale` otherwise.
 */
export async function sweepFleet(deps: SettleSilenceDeps): Promise<SweepFleetOutcome> {
  const { store, clock } = deps;
  const upstreams = (await readSourceHeartbeats(store, 'fleet')).map(({ name }) => name);
  if (upstreams.length === 0) return { silent: [], speaking: [] };
  const told: Silence[] = [];
  let differences = 0;
  for (const upstream of upstreams) {
    const contacts = await readContacts(store, upstream);
    const settled = await settleSilence(deps, {
      upstream,
      heard: contacts.map((contact) => heard(contact, clock())),
      stored: await readSilence(store, upstream),
      messages: async (held, cause) =>
        (await subjectsOf(store, upstream, held)).map((subject) =>
          encodeDirty({ type: 'subject', subject }, cause),
        ),
    });
    told.push(...settled);
    differences += await countDifferences(store, upstream);
  }
  const named = (silent: boolean): readonly string[] =>
    told
      .filter((entry) => entry.silent === silent)
      .map(({ upstream, name }) => `${upstream}/${name}`);
  return { silent: named(true), speaking: named(false), differences };
}
