import * as z from 'zod/mini';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { pages } from '#shared/state/pages.ts';
import { tombstoneExpiry } from '#shared/state/rows.ts';

/** When the agent of a Cluster last reported. */
export interface Contact {
  /** The Cluster, `<namespace>/<name>`. */
  readonly name: string;
  /** Of the statement that said so, as text. */
  readonly version: string;
  /** RFC 3339; `''`: it never has; `undefined`: there is no such Cluster any more. */
  readonly lastSeen: string | undefined;
}

const CONTACT = bodyCodec<{ readonly lastSeen?: string }>(
  'time of contact',
  z.looseObject({ lastSeen: z.exactOptional(z.string()) }),
);

/**
 * Key of when the agent of a Cluster last reported. All of a management cluster stand in one partition, so that a sweep
 * reads them in a few pages.
 */
export function contactKey(upstream: string, cluster: string): ItemKey {
  return { pk: `CONTACTS#${upstream}`, sk: cluster };
}

/** The item that says so; `undefined`: there is no such Cluster any more. */
export function contactItem(
  key: ItemKey,
  said: {
    readonly version: string;
    readonly lastSeen: string | undefined;
    readonly nowMs: number;
  },
): Item {
  const { version, lastSeen, nowMs } = said;
  return lastSeen === undefined
    ? { ...key, version, expiresAt: tombstoneExpiry(nowMs) }
    : { ...key, version, body: CONTACT.encode({ lastSeen }) };
}

/** When the agents of all Clusters of a management cluster last reported; also of those that went lately. */
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
