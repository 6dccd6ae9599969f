import type { BundleDeployments } from '#shared/ports/bundle-deployments.ts';
import type { ChangeJournal } from '#shared/ports/change-journal.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { createBundleDeployments } from './bundle-deployments.ts';
import { fleetChanges } from './fleet-changes.ts';

/** What the API reads of a management cluster of Fleet. */
export type FleetSource = StatusSource & BundleDeployments;

/** What a source reads, and of which management cluster. */
export interface FleetSourceOptions {
  readonly store: ItemStore;
  readonly upstream: string;
  /** The journal of the store, which records `FLEET_JOURNALED_KEYS`. Absent: nobody can watch. */
  readonly journal?: ChangeJournal;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Creates the source of the API of one management cluster of Fleet. It has no Bindings, so as a {@link StatusSource} it only has
 * changes. It reads the items that the functions have put, and writes nothing.
 */
export function createFleetSource({
  store,
  upstream,
  journal,
  clock,
}: FleetSourceOptions): FleetSource {
  return {
    ...createStatusSource({ store, wds: upstream, clock }),
    ...(journal === undefined ? {} : fleetChanges(upstream, journal)),
    ...createBundleDeployments(store, upstream),
  };
}
