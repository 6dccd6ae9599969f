import { runConcurrently } from '#shared/concurrency.ts';
import type { EventContent } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import { SORT, versionText } from '#shared/state/keys.ts';
import {
  hubListedKey,
  type InventoryStatement,
  putWecInventory,
  readHubInventories,
} from '#shared/state/wec-inventories.ts';
import type { ReceivedEvent, RecordDeps } from './follow-ups.ts';

/** The maximum number of WECs whose inventories are recorded at the same time. */
const WECS_AT_ONCE = 16;

type HubListing = ReceivedEvent & {
  readonly content: Extract<EventContent, { readonly type: 'hub-snapshot' }>;
};

function statementsOf(events: readonly ReceivedEvent[]): readonly InventoryStatement[] {
  const newest = new Map<string, InventoryStatement>();
  for (const { source, version, content } of events) {
    if (content.type !== 'inventory') continue;
    const { type: _type, ...reported } = content;
    const text = versionText(version);
    const reporter = `${reported.hub ?? ''} ${source.name}`;
    const previous = newest.get(reporter);
    if (previous !== undefined && previous.version > text) continue;
    newest.set(reporter, { ...reported, wec: source.name, version: text });
  }
  return [...newest.values()];
}

/**
 * Removes what a WEC's forwarder has reported about its inventory before a complete listing began, and not since: the forwarder is
 * no longer given labels.
 *
 * @param version the snapshot version
 */
export async function forgetOwnInventory(
  { store, clock }: RecordDeps,
  wec: string,
  version: string,
): Promise<void> {
  await putWecInventory(store, { wec, version }, clock());
}

/** The item whose version is that of the last complete listing of what the statement is about. */
function listingOf({ hub, wec }: InventoryStatement): ItemKey {
  return hub === undefined
    ? { pk: sourcePartition({ type: 'wec', name: wec }), sk: SORT.snapshot }
    : hubListedKey(hub);
}

/** As for rows, the version of the listing is read after the put, so an outdated statement does not stay. */
async function recordInventory(
  { store, clock }: RecordDeps,
  statement: InventoryStatement,
): Promise<void> {
  const { inventory: _outdated, ...reporter } = statement;
  await putWecInventory(store, statement, clock());
  const [listed] = await store.get([listingOf(statement)]);
  if (listed?.version === undefined || listed.version <= statement.version) return;
  await putWecInventory(store, { ...reporter, version: listed.version }, clock());
}

/** Records what ManagedClusters and forwarders say about WECs. sweep-stale notifies the Bindings. */
export async function recordInventories(
  deps: RecordDeps,
  events: readonly ReceivedEvent[],
): Promise<void> {
  await runConcurrently(
    statementsOf(events).map((statement) => () => recordInventory(deps, statement)),
    WECS_AT_ONCE,
  );
}

/** Removes the inventories that a hub reported before a complete listing began, and not since: these ManagedClusters are gone. */
async function recordHubListing(
  { store, clock }: RecordDeps,
  { source: { name: hub }, content }: HubListing,
): Promise<void> {
  const version = versionText(content.since);
  const key = hubListedKey(hub);
  const [took] = await store.put([{ item: { ...key, version }, condition: { type: 'newer' } }]);
  if (took !== true) {
    const [stored] = await store.get([key]);
    if (stored?.version !== version) return;
  }
  const known = await readHubInventories(store, hub);
  const gone = known.filter((stored) => stored.version < version);
  await runConcurrently(
    gone.map(
      ({ wec }) =>
        () =>
          putWecInventory(store, { hub, wec, version }, clock()),
    ),
    WECS_AT_ONCE,
  );
}

/** Records that hubs were listed completely. */
export async function recordHubListings(
  deps: RecordDeps,
  events: readonly ReceivedEvent[],
): Promise<void> {
  for (const { content, ...event } of events)
    if (content.type === 'hub-snapshot') await recordHubListing(deps, { ...event, content });
}
