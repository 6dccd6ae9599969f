import { Turns } from '#shared/concurrency.ts';
import type { ChangeJournal } from '#shared/ports/change-journal.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { createDestinationStore } from '#shared/state/membership.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createWecInventories } from '#shared/state/wec-inventories.ts';
import { BoundObjects } from './bound-object.ts';
import { journaledChanges, unknownChanges } from './changes.ts';
import { entryRange, resourcesOf } from './entries.ts';
import { listObjects } from './list-objects.ts';
import { listStatuses } from './list-statuses.ts';
import { queriedRows } from './queried-rows.ts';
import { readReports } from './reports.ts';
import { RevisionClock } from './revision-clock.ts';
import { readWec, readWecs } from './wecs.ts';
import { readWorkloadState } from './workload-state.ts';

/** What a source reads, and of which WDS. */
export interface StatusSourceOptions {
  readonly store: ItemStore;
  readonly wds: string;
  /** The journal of the store, which records `JOURNALED_KEYS`. Absent: nobody can watch. */
  readonly journal?: ChangeJournal;
  /** Without a journal, the revision of now. Default: that of a {@link RevisionClock} of its own. */
  readonly revision?: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Creates the source of the API of one WDS, over the table (docs/architecture.md, section 5, "What the API reads"). It reads the items that the
 * functions have put, and writes nothing.
 */
export function createStatusSource({
  store,
  wds,
  journal,
  clock,
  revision,
}: StatusSourceOptions): StatusSource {
  const clocked = new RevisionClock(clock);
  const destinations = createDestinationStore(store);
  const objects = new BoundObjects(store, wds, destinations);
  const inventories = createWecInventories(store);
  const turns = new Turns();
  const deps = {
    store,
    wds,
    objects,
    inventories,
    destinations,
    specs: createSpecStore(store),
    clock,
  };
  return {
    async wecStatus({ workload, wec }, signal) {
      const bound = await objects.read(workload);
      const isSent = bound?.memberships.some((one) => one.destinations.set.has(wec)) === true;
      if (!isSent) return undefined;
      const { statuses } = await readReports(deps, [{ bound, wec }], signal);
      return statuses[0];
    },
    wecStatuses: (request, signal) => listStatuses(deps, request, signal),
    rows: (request, signal) => queriedRows(deps, request, signal),
    async resourcesIn(scope) {
      const range = entryRange(wds, scope, {});
      return range === undefined ? [] : resourcesOf(store, range, () => turns.next());
    },
    workloads: (request) => listObjects(deps, request),
    async workload(workload) {
      const bound = await objects.read(workload);
      return bound && readWorkloadState(deps, bound);
    },
    wec: (name) => readWec(deps, name),
    wecs: (request) => readWecs(deps, request),
    ...(journal === undefined
      ? unknownChanges(revision ?? (() => clocked.now()))
      : journaledChanges(wds, journal)),
  };
}
