import { silenceText } from '#shared/core/fleet/cluster-contact.ts';
import { type DeploymentRow, silentRow } from '#shared/core/fleet/deployment-row.ts';
import type { Item } from '#shared/ports/item-store.ts';
import type { Silence } from '#shared/state/silence.ts';
import { DEPLOYMENT_ROW } from './contents.ts';
import { decodeFleetRow } from './fleet-rows.ts';

/** The row in an item below a Bundle or Cluster. Undefined if the item does not come from a BundleDeployment, or is a tombstone. */
export function decodeDeployment(item: Item): DeploymentRow | undefined {
  const [, , , own = ''] = item.sk.split('#');
  // The other rows name targets that have no BundleDeployment.
  return item.body === undefined || own === ''
    ? undefined
    : DEPLOYMENT_ROW.decode(decodeFleetRow(item), item);
}

/**
 * A row as the statuses count it: if the agent of its Cluster is silent, what it last reported is unknown.
 *
 * @param silence the entries of silent agents, by Cluster
 */
export function asCounted(
  row: DeploymentRow,
  silence: ReadonlyMap<string, Silence>,
): DeploymentRow {
  const entry = silence.get(row.cluster);
  return entry?.silent === true ? silentRow(row, silenceText(entry.lastSeen ?? '')) : row;
}
