import { selectableWec } from '#shared/core/status-api/selectable.ts';
import { type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import type { Wec } from '#shared/core/status-api/wec-status.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { Item } from '#shared/ports/item-store.ts';
import type { PageRequest, StatusPage } from '#shared/ports/status-source.ts';
import { decodeHeartbeat, heartbeatKey } from '#shared/state/heartbeats.ts';
import { range } from '#shared/state/keys.ts';
import { decodeSilence, silenceKey } from '#shared/state/silence.ts';
import type { ReportedInventory, WecInventories } from '#shared/state/wec-inventories.ts';
import { contactKeys, contactOf } from './reports.ts';
import { type CountBounds, type CountDeps, countWecs } from './wec-counts.ts';

const HEARTBEATS = heartbeatKey({ type: 'wec', name: '' });
/** After so many WECs a page ends, however few are selected. */
const MAX_WECS = 5_000;

/** What a get reads to count the objects of a WEC, and what a page reads to count those of its WECs together. */
const GET: CountBounds = { objects: 10_000, partsAndRows: 2_000 };
const PAGE: CountBounds = { objects: 2_000, partsAndRows: 2_000 };

/** What WECs are read from. */
export interface WecDeps extends CountDeps {
  readonly inventories: WecInventories;
}

/** Adds how many objects are sent to some WECs. */
async function counted(
  deps: WecDeps,
  wecs: readonly Wec[],
  bounds: CountBounds,
): Promise<readonly Wec[]> {
  if (wecs.length === 0) return [];
  const names = wecs.map(({ name }) => name);
  const counts = await countWecs(deps, names, bounds);
  return wecs.map((wec) => ({ ...wec, ...counts.get(wec.name) }));
}

/** The items of a WEC, and what is known of its labels. */
interface WecItems {
  readonly heartbeat: Item;
  readonly silence: Item | undefined;
  readonly inventory: ReportedInventory | undefined;
}

function wecOfItems(name: string, { heartbeat, silence, inventory }: WecItems): Wec {
  const { lastContact, silent } = contactOf(heartbeat, silence);
  const { forwarderVersion } = decodeHeartbeat(heartbeat);
  const since = silence && (decodeSilence(silence).lastSeen ?? lastContact);
  return {
    name,
    ownLabels: inventory?.labels ?? {},
    ...(lastContact === undefined ? {} : { lastContact }),
    ...(silent && since !== undefined ? { silentSince: since } : {}),
    ...(forwarderVersion === undefined ? {} : { forwarderVersion }),
  };
}

/** Reads a WEC. Undefined if no forwarder of that name has ever sent a heartbeat. */
export async function readWec(deps: WecDeps, name: string): Promise<Wec | undefined> {
  const [heartbeat, silence] = await deps.store.get(contactKeys(name));
  if (heartbeat === undefined) return undefined;
  const known = await deps.inventories.read();
  const wec = wecOfItems(name, { heartbeat, silence, inventory: known.get(name) });
  const [found] = await counted(deps, [wec], GET);
  return found;
}

/** The WECs of the items of some heartbeats. */
async function wecsOfItems(
  { store, inventories }: WecDeps,
  items: readonly Item[],
): Promise<readonly Wec[]> {
  const names = items.map(({ sk }) => sk.slice(HEARTBEATS.sk.length));
  const silences = await store.get(names.map((name) => silenceKey(name)));
  const known = await inventories.read();
  return items.map((heartbeat, index) => {
    const name = String(names[index]);
    return wecOfItems(name, {
      heartbeat,
      silence: silences[index],
      inventory: known.get(name),
    });
  });
}

/**
 * Reads a page of the WECs that have ever sent a heartbeat, in the order of their names.
 *
 * @throws InvalidContinuationError if `after` is no name
 */
export async function readWecs(
  deps: WecDeps,
  { limit, after, selector }: PageRequest & { readonly selector: StatusSelector },
): Promise<StatusPage<Wec>> {
  if (after === '') throw new InvalidContinuationError();
  const bounds = range(HEARTBEATS.pk, HEARTBEATS.sk);
  const from = after === undefined ? bounds.from : `${bounds.from}${after}\u0000`;
  const items: Wec[] = [];
  let last = after;
  let cursor: string | undefined;
  for (let read = 0; read < MAX_WECS && items.length < limit; ) {
    const rest = cursor === undefined ? {} : { cursor };
    const page = await deps.store.query({ ...bounds, from, ...rest, limit: limit - items.length });
    const wecs = await wecsOfItems(deps, page.items);
    items.push(...wecs.filter((wec) => selects(selector, selectableWec(wec))));
    last = wecs.at(-1)?.name ?? last;
    read += page.items.length;
    if (page.cursor === undefined) return { items: await counted(deps, items, PAGE) };
    cursor = page.cursor;
  }
  const found = await counted(deps, items, PAGE);
  return { items: found, ...(last === undefined ? {} : { next: last }) };
}
