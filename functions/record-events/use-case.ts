import { runConcurrently } from '#shared/concurrency.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import { objectKey } from '#shared/core/workload.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { Put } from '#shared/ports/item-store.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { SORT, versionText } from '#shared/state/keys.ts';
import { announceInventoryOf } from '#shared/state/wec-inventories.ts';
import { recordFleetEvent } from './fleet-event.ts';
import { FollowUps, type ReceivedEvent, type RecordDeps } from './follow-ups.ts';
import { forgetOwnInventory, recordHubListings, recordInventories } from './inventories.ts';
import { type RecordedRows, recordRows } from './rows.ts';
import { recordWdsEvent } from './wds-event.ts';

type ReceivedSnapshot = ReceivedEvent & { readonly content: { readonly type: 'snapshot' } };

/** The newest snapshot of each source. Its sweep finds everything that the sweeps of the older ones would find. */
function newestSnapshots(events: readonly ReceivedEvent[]): readonly ReceivedSnapshot[] {
  const newest = new Map<string, ReceivedSnapshot>();
  for (const event of events) {
    const { source, content } = event;
    if (content.type !== 'snapshot') continue;
    const known = newest.get(sourcePartition(source))?.content;
    if (known === undefined || versionText(known.since) < versionText(content.since))
      newest.set(sourcePartition(source), { ...event, content });
  }
  return [...newest.values()];
}

/** Starts the sweep of what the source reported before a complete listing began. */
async function recordSnapshot(deps: RecordDeps, event: ReceivedSnapshot): Promise<void> {
  const { content, source } = event;
  const key = { pk: sourcePartition(source), sk: SORT.snapshot };
  const version = versionText(content.since);
  // After the end of the listing, results are computed with the labels of the WEC: docs/adr/0016.
  if (source.type === 'wec') await announceInventoryOf(deps.store, source.name);
  const [took] = await deps.store.put([
    { item: { ...key, version }, condition: { type: 'newer' } },
  ]);
  if (took !== true) {
    const [stored] = await deps.store.get([key]);
    if (stored?.version !== version) return;
  }
  if (source.type === 'wec') await forgetOwnInventory(deps, source.name, version);
  await deps.dirty.send([
    encodeDirty(
      { type: 'sweep', source, since: content.since, ...earliestChange([event]) },
      `sweep ${version}`,
    ),
  ]);
}

async function recordHeartbeats(deps: RecordDeps, events: readonly ReceivedEvent[]): Promise<void> {
  const newest = new Map<string, Put>();
  for (const { source, version, content } of events) {
    if (content.type !== 'heartbeat') continue;
    const { type: _type, ...reported } = content;
    const item = heartbeatItem(source, version, { heardMs: deps.clock(), ...reported });
    const known = newest.get(item.sk)?.item.version;
    if (known === undefined || known < versionText(version))
      newest.set(item.sk, { item, condition: { type: 'newer' } });
  }
  if (newest.size > 0) await deps.store.put([...newest.values()]);
}

/** Only the newest of several events about one object of Fleet. */
function newestOfFleet(events: readonly ReceivedEvent[]): readonly ReceivedEvent[] {
  const newest = new Map<string, ReceivedEvent>();
  for (const event of events) {
    if (event.content.type !== 'fleet-object') continue;
    const key = `${event.source.name}/${objectKey(event.content.subject)}`;
    const known = newest.get(key);
    if (known?.content.type !== 'fleet-object') newest.set(key, event);
    else {
      const later = versionText(known.version) < versionText(event.version) ? event : known;
      const first = known.content.first || event.content.first;
      const change = earliestChange([known, event]);
      newest.set(key, {
        ...later,
        content: { ...later.content, first },
        ...change,
      } as ReceivedEvent);
    }
  }
  return [...newest.values()];
}

/** The number of events that are recorded at once. An event reads and writes its items one after the other. */
const EVENTS_AT_ONCE = 32;

function each<E extends ReceivedEvent>(
  events: readonly E[],
  run: (event: E) => Promise<void>,
): Promise<void> {
  return runConcurrently(
    events.map((event) => () => run(event)),
    EVENTS_AT_ONCE,
  );
}

/**
 * Records events of forwarders, each if it is newer than what is stored, then notifies their subjects (docs/architecture.md,
 * section 5, "The protocol", rules 1 and 4). Takes any number of events of any sources, in any order, repeated or not.
 *
 * When it returns, everything is stored and all messages are sent, so the messages with the events may be deleted. If it
 * throws, nothing is promised, and all events may be recorded again.
 *
 * @returns `coalesced`: the number of events that shared the row or the message of another event
 */
export async function recordEvents(
  deps: RecordDeps,
  events: readonly ReceivedEvent[],
): Promise<RecordedRows> {
  const followUps = new FollowUps();
  const rows = await recordRows(deps, events, followUps);
  await each(events, (event) => recordWdsEvent(deps, event, followUps));
  const ofFleet = newestOfFleet(events);
  await each(ofFleet, (event) => recordFleetEvent(deps, event, followUps));
  const [dirty, hints] = [followUps.dirty(), followUps.hints()];
  if (dirty.length > 0) await deps.dirty.send(dirty);
  if (hints.length > 0) await deps.hints.send(hints);
  await recordInventories(deps, events);
  await recordHubListings(deps, events);
  await each(newestSnapshots(events), (event) => recordSnapshot(deps, event));
  await recordHeartbeats(deps, events);
  const shared =
    events.filter(({ content }) => content.type === 'fleet-object').length - ofFleet.length;
  return {
    coalesced: rows.coalesced + shared + followUps.shared,
    overQuota: rows.overQuota,
  };
}
