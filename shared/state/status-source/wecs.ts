import { selectableWec } from '#shared/core/status-api/selectable.ts';
import { type StatusSelector, selects } from '#shared/core/status-api/selector.ts';
import type { Wec } from '#shared/core/status-api/wec-status.ts';
import { InvalidContinuationError } from '#shared/errors.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import type { PageRequest, StatusPage } from '#shared/ports/status-source.ts';
import { heartbeatKey } from '#shared/state/heartbeats.ts';
import { range } from '#shared/state/keys.ts';
import { decodeSilence, silenceKey } from '#shared/state/silence.ts';
import { contactKeys, contactOf } from './reports.ts';

const HEARTBEATS = heartbeatKey({ type: 'wec', name: '' });
/** After so many WECs a page ends, however few are selected. */
const MAX_WECS = 5_000;

function wecOfItems(name: string, heartbeat: Item, silence: Item | undefined): Wec {
  const { lastContact, silent } = contactOf(heartbeat, silence);
  const since = silence && (decodeSilence(silence).lastSeen ?? lastContact);
  return {
    name,
    ownLabels: {},
    ...(lastContact === undefined ? {} : { lastContact }),
    ...(silent && since !== undefined ? { silentSince: since } : {}),
  };
}

/** Reads a WEC. Undefined if no forwarder of that name has ever sent a heartbeat. */
export async function readWec(store: ItemStore, name: string): Promise<Wec | undefined> {
  const [heartbeat, silence] = await store.get(contactKeys(name));
  return heartbeat && wecOfItems(name, heartbeat, silence);
}

/** The WECs of the items of some heartbeats. */
async function wecsOfItems(store: ItemStore, items: readonly Item[]): Promise<readonly Wec[]> {
  const names = items.map(({ sk }) => sk.slice(HEARTBEATS.sk.length));
  const silences = await store.get(names.map((name) => silenceKey(name)));
  return items.map((item, index) => wecOfItems(String(names[index]), item, silences[index]));
}

/**
 * Reads a page of the WECs that have ever sent a heartbeat, in the order of their names.
 *
 * @throws InvalidContinuationError if `after` is no name
 */
export async function readWecs(
  store: ItemStore,
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
    const page = await store.query({ ...bounds, from, ...rest, limit: limit - items.length });
    const wecs = await wecsOfItems(store, page.items);
    items.push(...wecs.filter((wec) => selects(selector, selectableWec(wec))));
    last = wecs.at(-1)?.name ?? last;
    read += page.items.length;
    if (page.cursor === undefined) return { items };
    cursor = page.cursor;
  }
  return { items, ...(last === undefined ? {} : { next: last }) };
}
