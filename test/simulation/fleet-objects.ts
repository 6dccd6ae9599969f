import type { FleetResource } from '#shared/core/fleet-object.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Random } from './scheduler.ts';
import type { World } from './world.ts';

export const NAMESPACE = 'fleet-default';
export const BUNDLES = ['one', 'two', 'three'];
export const CLUSTERS = ['c1', 'c2', 'c3', 'c4'];
export const GROUPS = ['blue', 'all'];
export const GIT_REPOS = ['repo1', 'repo2'];
export const HELM_OPS = ['chart'];
const ENVS = ['prod', 'dev'];

/** Names an object in the management cluster. */
export function fleetRef(resource: FleetResource, name: string, namespace = NAMESPACE): ObjectRef {
  return resource === 'jobs'
    ? { group: 'batch', version: 'v1', resource, namespace, name }
    : { group: 'fleet.cattle.io', version: 'v1alpha1', resource, namespace, name };
}

/** The namespace of a Cluster's BundleDeployments. */
export function namespaceOf(cluster: string): string {
  return `cluster-${cluster}`;
}

/** An object as it stands in the management cluster; `undefined`: there is none. */
export function standing(world: World, ref: ObjectRef): JsonObject | undefined {
  return world.upstream
    .objects()
    .find(
      (one) =>
        one.ref.resource === ref.resource &&
        one.ref.namespace === ref.namespace &&
        one.ref.name === ref.name,
    )?.object;
}

/** Puts an object; its status stays, unless it is given. */
export function put(
  world: World,
  ref: ObjectRef,
  object: JsonObject & { readonly kind: string; readonly metadata?: JsonObject },
): void {
  const status = object['status'] ?? standing(world, ref)?.['status'];
  const { namespace, name } = ref;
  world.upstream.apply(ref, {
    apiVersion: ref.group === 'batch' ? 'batch/v1' : 'fleet.cattle.io/v1alpha1',
    ...object,
    metadata: { ...object.metadata, namespace, name },
    ...(status === undefined ? {} : { status }),
  });
}

function selector(random: Random): JsonObject {
  return random.chance(0.3) ? {} : { matchLabels: { env: random.pick(ENVS) } };
}

function target(random: Random): JsonObject {
  return random.pick<() => JsonObject>([
    () => ({ clusterSelector: selector(random) }),
    () => ({ clusterName: random.pick(CLUSTERS) }),
    () => ({ clusterGroup: random.pick(GROUPS) }),
    // An error: the operator is none.
    () => ({ clusterSelector: { matchExpressions: [{ key: 'env', operator: 'Like' }] } }),
  ])();
}

/** Labels by which a Bundle or a BundleDeployment says what has made it. */
export function sourceLabels(random: Random): JsonObject {
  return random.pick<() => JsonObject>([
    () => ({ 'fleet.cattle.io/repo-name': random.pick(GIT_REPOS) }),
    () => ({ 'fleet.cattle.io/fleet-helm-name': random.pick(HELM_OPS) }),
    () => ({}),
  ])();
}

/** A Bundle with random targets. */
export function bundle(random: Random): {
  readonly kind: string;
  readonly [field: string]: JsonValue;
} {
  const targets = Array.from({ length: 1 + random.below(2) }, () => target(random));
  return { kind: 'Bundle', metadata: { labels: sourceLabels(random) }, spec: { targets } };
}

/** The labels of a Cluster. */
export function clusterLabels(random: Random): JsonObject {
  return random.chance(0.2) ? {} : { env: random.pick(ENVS) };
}

/** A ClusterGroup with a random selector. */
export function group(random: Random): {
  readonly kind: string;
  readonly [field: string]: JsonValue;
} {
  const spec = random.chance(0.1) ? {} : { selector: selector(random) };
  return { kind: 'ClusterGroup', metadata: { labels: clusterLabels(random) }, spec };
}

/** The status of a BundleDeployment in some state. */
export function deploymentStatus(random: Random, id: string): JsonObject {
  const ready = random.chance(0.6);
  const resources = ['web', 'api'].map((name) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'shop',
    name,
  }));
  return {
    appliedDeploymentID: random.chance(0.7) ? id : 'other',
    ready,
    nonModified: random.chance(0.8),
    resources: resources.slice(0, 1 + random.below(2)),
    ...(ready
      ? {}
      : {
          nonReadyStatus: [
            {
              ...resources[0],
              uid: 'u',
              summary: { state: 'in-progress', transitioning: true, message: ['0/1'] },
            },
          ],
        }),
    ...(random.chance(0.2)
      ? { conditions: [{ type: 'Deployed', status: 'False', message: `boom ${random.below(3)}` }] }
      : {}),
    resourceCounts: { ready: 1, desiredReady: 2 },
  };
}

/** Labels of a BundleDeployment. */
export function deploymentLabels(random: Random, bundleName: string, cluster: string): JsonObject {
  return {
    'fleet.cattle.io/bundle-name': bundleName,
    'fleet.cattle.io/bundle-namespace': NAMESPACE,
    'fleet.cattle.io/cluster': cluster,
    'fleet.cattle.io/cluster-namespace': NAMESPACE,
    ...sourceLabels(random),
  };
}
