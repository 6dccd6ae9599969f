import type { AggregatedResource } from '#shared/core/fleet-object.ts';
import { type FleetNamespace, inventoryPartition, type Subject } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { parseRowKey, rowNameText } from '#shared/state/fleet/fleet-rows.ts';
import { parseInventoryKey } from '#shared/state/fleet/inventory.ts';
import type { AggregateDeps } from './deps.ts';

/** The resources whose results depend on which Clusters, ClusterGroups, GitRepos and HelmOps exist. */
const DEPENDING: Readonly<Record<AggregatedResource, readonly AggregatedResource[]>> = {
  bundles: [],
  clusters: ['bundles'],
  clustergroups: ['bundles', 'clusters'],
  gitrepos: ['clusters'],
  helmops: ['clusters'],
};

interface CauseAndTime {
  /** A text that stays the same if the same cause is sent again. */
  readonly cause: string;
  readonly change: ChangeTime;
}

/** Creates the messages about changed rows: one message for each subject that has such rows. */
export function messagesOfRows(
  keys: readonly ItemKey[],
  { cause, change }: CauseAndTime,
): readonly OutgoingMessage[] {
  const subjects = new Map<string, { readonly subject: Subject; readonly rows: Set<string> }>();
  for (const key of keys) {
    const { subject, row } = parseRowKey(key);
    const notified = subjects.get(key.pk) ?? { subject, rows: new Set() };
    if (row !== undefined) notified.rows.add(rowNameText(row));
    subjects.set(key.pk, notified);
  }
  return [...subjects.values()].map(({ subject, rows }) =>
    encodeDirty({ type: 'subject', subject, rows: [...rows].sort(), ...change }, cause),
  );
}

async function inventoryMessages(
  deps: AggregateDeps,
  keys: readonly ItemKey[],
  change: ChangeTime,
): Promise<readonly OutgoingMessage[]> {
  const changes = new Map<string, FleetNamespace & { readonly changed: Set<AggregatedResource> }>();
  for (const key of keys) {
    const changed = parseInventoryKey(key);
    if (changed === undefined) continue;
    const { resource, ...namespace } = changed;
    const pk = inventoryPartition(namespace);
    const entry = changes.get(pk) ?? { ...namespace, changed: new Set<AggregatedResource>() };
    entry.changed.add(resource);
    changes.set(pk, entry);
  }
  const messages: OutgoingMessage[] = [];
  for (const { upstream, namespace, changed } of changes.values()) {
    const notify = [...new Set([...changed].flatMap((resource) => DEPENDING[resource]))].sort();
    const token = await deps.inventories.changed({
      upstream,
      namespace,
      changed: [...changed],
      notify,
    });
    for (const resource of notify) {
      const work = { type: 'fleet-inventory', upstream, namespace, resource, token } as const;
      messages.push(encodeDirty({ ...work, ...change }, `${token} ${resource}`));
    }
  }
  return messages;
}

/** Notifies the affected subjects that rows below them, or entries of inventories, have changed. */
export function notifyOfRows(
  deps: AggregateDeps,
  causeAndTime: CauseAndTime,
): (keys: readonly ItemKey[]) => Promise<void> {
  return async (keys) => {
    const rows = keys.filter((key) => parseInventoryKey(key) === undefined);
    const messages = [
      ...messagesOfRows(rows, causeAndTime),
      ...(await inventoryMessages(deps, keys, causeAndTime.change)),
    ];
    if (messages.length > 0) await deps.dirty.send(messages);
  };
}
