import { groupResource } from '#shared/core/resource-name.ts';
import type { Resource, ResourceApi, Selection } from '#shared/ports/kubernetes-api.ts';
import { SharedResource, type SharingDeps } from './shared-resource.ts';

/** A cluster that several readers follow. */
export interface OneFollower {
  /** The API that each reader uses. */
  readonly api: ResourceApi;
  /** Ends every list and watch. For the remaining readers, the watch ends. */
  stop(): Promise<void>;
}

/** The key of a selection. Readers of different selections, or of another version, see different objects. */
function keyOfSelection(resource: Resource, { labelSelector, metadataOnly }: Selection): string {
  return JSON.stringify([
    groupResource(resource),
    resource.version,
    labelSelector ?? null,
    metadataOnly ?? null,
  ]);
}

/**
 * One follower of a cluster for several readers in one process, each with its own reflectors. Regardless of the number of
 * readers of a resource, the cluster receives one list and one watch of it. For its readers, the follower behaves like the API
 * server of the cluster: a failure affects each of them, and each retries by itself. The follower stops following a resource
 * some minutes after the last reader has left.
 *
 * It holds every object that is followed. For only one reader, which may hold less, it wastes memory.
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
