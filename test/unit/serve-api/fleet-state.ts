import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { pendingRow } from '#shared/core/fleet/deployment-row.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { fleetRowKey, fleetSubject } from '#shared/state/fleet/fleet-rows.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { jsonBody } from '#test/fakes/item-body.ts';

export const UPSTREAM = 'rancher1';

/** What a test says of a BundleDeployment. */
export type Given = Partial<DeploymentRow> & Pick<DeploymentRow, 'bundle' | 'cluster'>;

/** A row of a BundleDeployment; its namespace is that of its cluster. */
export function rowOf(given: Given): DeploymentRow {
  const [, cluster = ''] = given.cluster.split('/');
  const base = pendingRow({ bundle: given.bundle, repo: '', helmOp: '' }, given.cluster);
  return { ...base, namespace: `cluster-${cluster}`, state: 'Ready', ...given };
}

/** @throws TypeError for a text that is no `<namespace>/<name>` */
export function subjectAt(resource: FleetSubject['resource'], id: string): FleetSubject {
  const subject = fleetSubject(UPSTREAM, resource, id);
  if (subject === undefined) throw new TypeError(id);
  return subject;
}

function item(key: { readonly pk: string; readonly sk: string }, body: unknown): Item {
  // Plain JSON, as the functions put it.
  return { ...key, version: '1', body: jsonBody(body as JsonValue) };
}

/** Puts BundleDeployments as record-events and aggregate-workload do: below Bundles, Clusters, and what Bundles name. */
export async function putDeployments(
  store: ItemStore,
  rows: readonly DeploymentRow[],
): Promise<void> {
  const items = new Map<string, Item>();
  const add = (one: Item): void => void items.set(`${one.pk} ${one.sk}`, one);
  for (const row of rows) {
    const own = `${row.namespace}/${row.name}`;
    const below = { family: 'BUNDLE', id: row.bundle } as const;
    const bundle = subjectAt('bundles', row.bundle);
    add(item(fleetRowKey(bundle, { family: 'CLUSTER', id: row.cluster }, own), row));
    const cluster = subjectAt('clusters', row.cluster);
    add(item(fleetRowKey(cluster, below, own), { ...row, resources: [] }));
    add(item(fleetRowKey(cluster, below), { repo: row.repo, helmOp: row.helmOp }));
    for (const [resource, id] of [
      ['gitrepos', row.repo],
      ['helmops', row.helmOp],
    ] as const)
      if (id !== '')
        add(item(fleetRowKey(subjectAt(resource, id), below), { result: null, known: null }));
  }
  await store.put([...items.values()].map((one) => ({ item: one })));
}

/** The management cluster has spoken. */
export async function speak(store: ItemStore): Promise<void> {
  const source = { type: 'fleet', name: UPSTREAM } as const;
  await store.put([{ item: heartbeatItem(source, { epoch: 1, sequence: 1 }, 0) }]);
}
