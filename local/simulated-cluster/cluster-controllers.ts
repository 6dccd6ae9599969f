import { customResource } from './custom-resources.ts';
import type { ObjectLifecycle } from './object-lifecycle.ts';
import type { ObjectStore } from './object-store.ts';
import { type ObjectAddress, OwnerIndex, ownersOf } from './owner-index.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { CRDS, NAMESPACES, resourceKey } from './resources.ts';
import { metadataText, type ObjectEvent } from './stored-object.ts';

interface Parts {
  readonly store: ObjectStore;
  readonly lifecycle: ObjectLifecycle;
  readonly registry: ResourceRegistry;
}

/**
 * The few controllers without which a cluster would not behave like one: garbage collection by owner references, the
 * deletion of namespaces, the resources of CustomResourceDefinitions. Each acts synchronously in the call that changes
 * an object.
 */
export function startControllers(parts: Parts): void {
  const owners = new OwnerIndex();
  parts.store.subscribeToAll((key, event) => owners.record(key, event));
  collectGarbage(parts, owners);
  endNamespaces(parts);
  serveCustomResources(parts);
}

function collectGarbage({ store, lifecycle }: Parts, owners: OwnerIndex): void {
  const settle = ({ key, namespace, name }: ObjectAddress): void => {
    const stored = store.get(key, { namespace, name });
    if (stored === undefined) return;
    const uids = ownersOf(stored.object);
    const gone = new Set(uids.filter((uid) => owners.isGone(uid)));
    if (gone.size === 0) return;
    // An owner that was never seen may exist elsewhere, because a recording has only some objects of a cluster.
    if (gone.size === uids.length) lifecycle.discard(key, stored);
    else lifecycle.disown(key, stored, gone);
  };
  store.subscribeToAll((key, { type, current }: ObjectEvent) => {
    if (type === 'DELETED')
      for (const address of owners.dependentsOf(metadataText(current.object, 'uid')))
        settle(address);
    else if (ownersOf(current.object).length > 0)
      settle({ key, namespace: current.namespace, name: current.name });
  });
}

function endNamespaces({ store, lifecycle }: Parts): void {
  const ending = lifecycle.endingNamespaces;
  const endIfEmpty = (name: string): void => {
    if (!ending.has(name) || store.keysIn(name).length > 0) return;
    ending.delete(name);
    store.remove(NAMESPACES, { namespace: '', name });
  };
  const empty = (name: string): void => {
    for (const key of store.keysIn(name))
      for (const stored of store.list(key, name)) lifecycle.discard(key, stored);
    endIfEmpty(name);
  };
  store.subscribeToAll((key, { type, current }) => {
    const deleted = type === 'DELETED';
    if (key === NAMESPACES && deleted) ending.delete(current.name);
    else if (key === NAMESPACES && ending.has(current.name)) empty(current.name);
    else if (deleted) endIfEmpty(current.namespace);
  });
}

function serveCustomResources({ store, lifecycle, registry }: Parts): void {
  store.subscribeToAll((key, { type, current }) => {
    if (key !== CRDS) return;
    const definition = customResource(current.object);
    if (definition === undefined) return;
    if (type !== 'DELETED') {
      registry.add(definition);
      return;
    }
    const custom = resourceKey(definition);
    for (const stored of store.list(custom)) lifecycle.discard(custom, stored);
    registry.remove(definition);
  });
}
