import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { asCounted, decodeDeployment } from '#shared/state/fleet/deployment-row.ts';
import { type FleetFamily, fleetRowKey, fleetSubject } from '#shared/state/fleet/fleet-rows.ts';
import type { Silence } from '#shared/state/silence.ts';

/** The rows of BundleDeployments below a Bundle or a Cluster. */
export interface DeploymentRange {
  readonly subject: FleetSubject & { readonly resource: 'bundles' | 'clusters' };
  /** The sort key after which to begin. Default: the first. */
  readonly after?: string | undefined;
}

/** An item that was read. */
export interface LookedAt {
  readonly sk: string;
  /** The row, as the statuses count it. Absent if it does not come from a BundleDeployment. */
  readonly row?: DeploymentRow;
}

/** What rows are read with. */
export interface RowReader {
  readonly store: ItemStore;
  /** The entries of silent agents, by Cluster. */
  readonly silence: ReadonlyMap<string, Silence>;
}

/** The number of items that are read at once. For a Cluster, each row is read a second time, with its resources. */
const PAGE_ITEMS = { bundles: 250, clusters: 50 } as const;

/** The family of BundleDeployments' rows below a Bundle or Cluster. */
export function familyOf(resource: DeploymentRange['subject']['resource']): FleetFamily {
  return resource === 'bundles' ? 'CLUSTER' : 'BUNDLE';
}

/**
 * Reads the rows below Bundles for rows below a Cluster, because the latter have no resources. A Bundle may have been deleted.
 */
async function wholeRows(
  store: ItemStore,
  upstream: string,
  looked: readonly LookedAt[],
): Promise<readonly LookedAt[]> {
  const keys = looked.flatMap(({ row }) => {
    const bundle = row && fleetSubject(upstream, 'bundles', row.bundle);
    if (row === undefined || bundle === undefined) return [];
    const own = namespacedName(row.namespace, row.name);
    return [fleetRowKey(bundle, { family: 'CLUSTER', id: row.cluster }, own)];
  });
  const whole = new Map<string, DeploymentRow>();
  for (const item of await store.get(keys)) {
    const row = item && decodeDeployment(item);
    if (row !== undefined) whole.set(namespacedName(row.namespace, row.name), row);
  }
  return looked.map(({ sk, row }) => {
    if (row === undefined) return { sk };
    return { sk, row: whole.get(namespacedName(row.namespace, row.name)) ?? row };
  });
}

/** Reads the rows of a range, in the order of its keys. */
export async function* deploymentRows(
  { store, silence }: RowReader,
  { subject, after }: DeploymentRange,
): AsyncGenerator<LookedAt> {
  const { resource, upstream } = subject;
  const family = familyOf(resource);
  let cursor = after;
  do {
    const page = await store.query({
      pk: subjectPartition(subject),
      from: `${family}#`,
      to: `${family}#\u{10ffff}`,
      limit: PAGE_ITEMS[resource],
      ...(cursor === undefined ? {} : { cursor }),
    });
    const looked = page.items.map((item): LookedAt => {
      const row = decodeDeployment(item);
      return row === undefined ? { sk: item.sk } : { sk: item.sk, row };
    });
    const whole = resource === 'bundles' ? looked : await wholeRows(store, upstream, looked);
    for (const { sk, row } of whole)
      yield row === undefined ? { sk } : { sk, row: asCounted(row, silence) };
    cursor = page.cursor;
  } while (cursor !== undefined);
}
