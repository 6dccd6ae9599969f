import * as z from 'zod/mini';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { looseObject } from '#shared/state/loose-object.ts';
import { pages } from '#shared/state/pages.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';

/** The time of the last report of a Cluster's agent. */
export interface Contact {
  /** The Cluster, `<namespace>/<name>`. */
  readonly name: string;
  /** The version of the statement, as text. */
  readonly version: string;
  /** RFC 3339. It is `''` if the agent has never reported, and undefined if the Cluster no longer exists. */
  readonly lastSeen: string | undefined;
}

const CONTACT = bodyCodec<{ readonly lastSeen?: string }>(
  'time of contact',
  looseObject({ lastSeen: z.exactOptional(z.string()) }),
);

/**
 * The key of the last report of a Cluster's agent. All Clusters of a management cluster share one partition, so a sweep reads
 * them in a few pages.
 */
export function contactKey(upstream: string, cluster: string): ItemKey {
  return { pk: `CONTACTS#${upstream}`, sk: cluster };
}

/**
 * The item of a Cluster's last report. If `lastSeen` is undefined, the Cluster no longer exists, and the item is a tombstone.
 */
export function contactItem(
  key: ItemKey,
  reported: {
    readonly version: string;
    readonly lastSeen: string | undefined;
    readonly nowMs: number;
  },
): Item {
  const { version, lastSeen, nowMs } = reported;
  return lastSeen === undefined
    ? { ...key, version, expiresAt: tombstoneExpiry(nowMs) }
    : { ...key, version, body: CONTACT.encode({ lastSeen }) };
}

/**
 * Reads the last reports of the agents of all Clusters of a management cluster, including Clusters that were deleted recently.
 */
export async function readContacts(
  store: ItemStore,
  upstream: string,
): Promise<readonly Contact[]> {
  const contacts: Contact[] = [];
  for await (const items of pages(store, { pk: contactKey(upstream, '').pk }))
    for (const item of items) {
      const { sk: name, version = '', body } = item;
      const { lastSeen } = body === undefined ? {} : CONTACT.decode(item);
      contacts.push({ name, version, lastSeen });
    }
  return contacts;
}
