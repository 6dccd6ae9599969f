import { InputError } from '#local/cli/terminal/cli-error.ts';
import { bundleDeploymentStatuses } from '#shared/api/bundle-deployments.ts';
import { any } from '#shared/api/resources.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { createFleetSource } from '#shared/state/fleet/fleet-source.ts';
import { readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { createApiDoor } from './api-door.ts';
import type { Door } from './door.ts';
import { severalUpstreams } from './messages.ts';
import { oneWds } from './one-wds.ts';

/** A table, and what is read of it. */
export interface TableDoorOptions {
  /** The name of the table, for messages. */
  readonly name: string;
  readonly store: ItemStore;
  /** The WDS, or the management cluster of Fleet. Default: the only WDS; without one, the only management cluster. */
  readonly wanted: string | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Closes the table. */
  close(): void;
}

/** The management cluster of Fleet that is read. Undefined if a WDS is. @throws InputError if several could be */
async function upstreamOf({ name, store, wanted }: TableDoorOptions): Promise<string | undefined> {
  const [wdses, upstreams] = await Promise.all([
    readSourceHeartbeats(store, 'wds'),
    readSourceHeartbeats(store, 'fleet'),
  ]);
  const has = (sources: typeof wdses): boolean => sources.some((one) => one.name === wanted);
  if (wanted !== undefined) return has(upstreams) && !has(wdses) ? wanted : undefined;
  const [only, other] = wdses.length === 0 ? upstreams : [];
  if (other === undefined) return only?.name;
  const names = upstreams.map((one) => one.name);
  throw new InputError(severalUpstreams(name, names));
}

/**
 * Opens a door to a table that nobody serves: to what WECs report in a WDS, or to the BundleDeployments of a management cluster of
 * Fleet. Nothing is written.
 *
 * @throws InputError if it is not clear what is read. The table stays open.
 */
export async function openTableDoor(options: TableDoorOptions): Promise<Door> {
  const { name, store, wanted, clock, close } = options;
  const common = { name, clock, watch: false, close };
  const upstream = await upstreamOf(options);
  if (upstream !== undefined) {
    const source = createFleetSource({ store, upstream, clock });
    return createApiDoor({ ...common, source, resources: [any(bundleDeploymentStatuses(source))] });
  }
  const source = createStatusSource({ store, wds: await oneWds(store, wanted, name), clock });
  return createApiDoor({ ...common, source });
}
