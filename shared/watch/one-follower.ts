import { groupResource } from '#shared/core/resource-name.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import { SharedResource, type SharingDeps } from './shared-resource.ts';

/** A cluster that several readers follow. */
export interface OneFollower {
  /** What each of them reads by. */
  readonly api: ResourceApi;
  /** Ends every list and watch; whoever still reads is told that its watch has ended. */
  stop(): Promise<void>;
}

/** Of one selection: readers of different ones, or of another version, see different objects. */
function keyOfSelection(resource: Resource, { labelSelector, metadataOnly }: Selection): string {
  return JSON.stringify([
    groupResource(resource),
    resource.version,
    labelSelector ?? null,
    metadataOnly ?? null,
  ]);
}

/**
 * One follower of a cluster for several readers in one process, each with its own reflectors: whoever reads a resource,
 * the cluster sees one list and one watch of it. For its readers it behaves like the cluster's API server: what fails
 * fails for each of them, and each tries again by itself. It ends following a resource some minutes after the last reader
 * has left.
 *
 * It holds every object that somebody follows. For one reader, who may hold less, it is a waste of memory.
 */
export function oneFollower(deps: SharingDeps): OneFollower {
  const { api } = deps;
  const resources = new Map<string, SharedResource>();
  const sharedOf = (resource: Resource, { reduce: _, ...selection }: Selection): SharedResource => {
    const key = keyOfSelection(resource, selection);
    const known = resources.get(key);
    if (known !== undefined) return known;
    const shared = new SharedResource(deps, { resource, selection }, () => resources.delete(key));
    resources.set(key, shared);
    return shared;
  };
  return {
    api: {
      discover: (signal) => api.discover(signal),
      list: (resource, selection, signal) => sharedOf(resource, selection).list(selection, signal),
      watch: (resource, options, signal) => {
        const {
          resourceVersion: _from,
          onEvent: _onEvent,
          onOpen: _onOpen,
          ...selection
        } = options;
        return sharedOf(resource, selection).watch(options, signal);
      },
    },
    async stop() {
      await Promise.all([...resources.values()].map((shared) => shared.stop()));
    },
  };
}
