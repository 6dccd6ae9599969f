import type { JsonObject } from '#shared/core/json.ts';
import { at, isObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Random } from '#test/simulation/scheduler.ts';
import type { World } from './world.ts';

/** One thing that users, controllers or misfortune do; what it was, in words. */
export type Action = (world: World, random: Random) => Promise<string>;

export const CONTROL = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  namespace: '',
} as const;

/** An object of KubeStellar's that has no namespace. */
export function controlRef(resource: string, name: string): ObjectRef {
  return { ...CONTROL, resource, name };
}

/** A Namespace. */
export function namespaceRef(name: string): ObjectRef {
  return { group: '', version: 'v1', resource: 'namespaces', namespace: '', name };
}

/** Names a workload object. */
export function slotKey({ group, resource, namespace, name }: ObjectRef): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

/** Other labels of the user's; the others, such as Starfold's, stay. */
export function relabelled(object: JsonObject, wanted: JsonObject): JsonObject {
  const standing = at(object, 'metadata', 'labels');
  const { tier: _tier, env: _env, ...others } = isObject(standing) ? standing : {};
  return { ...others, ...wanted };
}
