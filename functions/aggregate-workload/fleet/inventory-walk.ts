import { sourcePartition } from '#shared/core/subject.ts';
import { type DirtyMessage, earliestChange, encodeDirty } from '#shared/messages/dirty.ts';
import { parseReportedEntry, RANGE, range } from '#shared/state/keys.ts';
import type { AggregateDeps } from '../deps.ts';

type InventoryMessage = Extract<DirtyMessage, { type: 'fleet-inventory' }>;

const PAGE_SIZE = 100;

/**
 * Tells the next page of the objects that depend on what a namespace has. A walk that has not begun is left to a later
 * change, if there is one: its token stands there, and its message comes. So a thousand new Clusters are one walk or a few.
 */
export async function walkInventory(deps: AggregateDeps, message: InventoryMessage): Promise<void> {
  const { upstream, namespace, resource, token, cursor } = message;
  if (cursor === undefined && (await deps.inventories.told(message, resource)) !== token) return;
  const pk = sourcePartition({ type: 'fleet', name: upstream });
  const prefix = `${RANGE.reported}F#${upstream}/${resource}/${namespace}/`;
  const page = await deps.store.query({
    ...range(pk, prefix),
    limit: PAGE_SIZE,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const change = earliestChange([message]);
  const messages = page.items.flatMap(({ sk }) => {
    const subject = parseReportedEntry(sk)?.subject;
    return subject === undefined
      ? []
      : [encodeDirty({ type: 'subject', subject, ...change }, `inventory ${token}`)];
  });
  if (messages.length > 0) await deps.dirty.send(messages);
  if (page.cursor === undefined) return;
  const next = { ...message, cursor: page.cursor };
  await deps.dirty.send([encodeDirty(next, `${token} ${resource} ${page.cursor}`)]);
}
