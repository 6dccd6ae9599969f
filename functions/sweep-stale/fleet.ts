import { contactAt } from '#shared/core/fleet/cluster-contact.ts';
import { isSilent, SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { type FleetSubject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Contact, readContacts } from '#shared/state/fleet/contacts.ts';
import { countDifferences } from '#shared/state/fleet/differences.ts';
import { fleetSubject, readRowIds } from '#shared/state/fleet/fleet-rows.ts';
import { readSourceHeartbeats, type SourceHeartbeat } from '#shared/state/heartbeats.ts';
import { parseVersionText, SORT } from '#shared/state/keys.ts';
import { readSilence, type Silence } from '#shared/state/silence.ts';
import { type Heard, type SettleSilenceDeps, settleSilence } from './settle-silence.ts';

/** The outcome of a sweep of the management clusters of Fleet. */
export interface SweepFleetOutcome {
  /** `<upstream>/<namespace>/<name>` of the Clusters whose silence has begun or ended, and whose subjects were notified. */
  readonly silent: readonly string[];
  readonly speaking: readonly string[];
  /**
   * The number of objects whose Fleet status differs from the desired one. Absent if there is no management cluster, or if one
   * of them failed.
   */
  readonly differences?: number;
  /** The error of the first management cluster that failed. The others were swept nevertheless. */
  readonly error?: unknown;
}

function heard({ name, version, lastSeen = '' }: Contact, atMs: number): Heard {
  const silent = contactAt(lastSeen, atMs).type === 'silent';
  return silent ? { name, version, silent: true, lastSeen } : { name, version, silent: false };
}

/** Returns the Clusters, and the Bundles that have rows of them. */
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

/** Whether everything that exists was reported since the forwarder took over. Before that, the stored state is older. */
async function isListed(store: ItemStore, { name, version }: SourceHeartbeat): Promise<boolean> {
  const [snapshot] = await store.get([
    { pk: sourcePartition({ type: 'fleet', name }), sk: SORT.snapshot },
  ]);
  const listed = snapshot?.version;
  return listed !== undefined && parseVersionText(listed).epoch >= parseVersionText(version).epoch;
}

/**
 * Finds which Clusters of a management cluster were silent at the time of its forwarder's last heartbeat. Later reports of
 * their agents are not known. If that heartbeat is too old, or if the forwarder has not reported everything yet, the previous
 * findings stay.
 *
 * @returns the Clusters whose subjects were notified
 */
async function settleClusters(
  deps: SettleSilenceDeps,
  heartbeat: SourceHeartbeat,
): Promise<readonly Silence[]> {
  const { store } = deps;
  const { name: upstream, heardMs } = heartbeat;
  const nowMs = deps.clock();
  const isKnown = !isSilent(heardMs, nowMs, SILENCE_LIMIT_MS) && (await isListed(store, heartbeat));
  if (!isKnown) return [];
  const atMs = Math.min(nowMs, heardMs);
  const contacts = await readContacts(store, upstream);
  return settleSilence(deps, {
    scope: { upstream },
    heard: contacts.map((contact) => heard(contact, atMs)),
    stored: await readSilence(store, { upstream }),
    messages: async (held, cause) =>
      (await subjectsOf(store, upstream, held)).map((subject) =>
        encodeDirty({ type: 'subject', subject }, cause),
      ),
  });
}

/**
 * Finds the Clusters of Fleet whose agents are silent and those that report again, and notifies them and the Bundles that have
 * rows of them (docs/fleet.md, "Decisions"). Also counts the objects that differ. Otherwise like `sweepStale`. If one
 * management cluster fails, the error is in the outcome, and the others are swept.
 */
export async function sweepFleet(deps: SettleSilenceDeps): Promise<SweepFleetOutcome> {
  const heartbeats = await readSourceHeartbeats(deps.store, 'fleet');
  const notified: Silence[] = [];
  const failures: unknown[] = [];
  let differences = 0;
  for (const heartbeat of heartbeats)
    try {
      notified.push(...(await settleClusters(deps, heartbeat)));
      differences += await countDifferences(deps.store, heartbeat.name);
    } catch (error) {
      failures.push(error);
    }
  const named = (silent: boolean): readonly string[] =>
    notified
      .filter((entry) => entry.silent === silent)
      .map(({ upstream, name }) => `${upstream}/${name}`);
  const outcome = { silent: named(true), speaking: named(false) };
  if (failures.length > 0) return { ...outcome, error: failures[0] };
  return heartbeats.length === 0 ? outcome : { ...outcome, differences };
}
