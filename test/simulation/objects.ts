import { isObject, type JsonObject, member } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { World } from './world.ts';

/** KubeStellar's own group. */
export const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1' } as const;
const NAMES = ['web', 'api'] as const;
/** Names of the Bindings. */
export const BINDINGS = ['b1', 'b2'] as const;
/** In a crowded world: more than count for an object. */
const CROWD = [...BINDINGS, 'b3', 'b4', 'b5'] as const;
/** So many count there. */
export const CROWDED = 2;

/** Names of the Bindings that users of a world write. */
export function bindings({ crowded }: World): readonly string[] {
  return crowded ? CROWD : BINDINGS;
}

function deploymentRef(name: string): ObjectRef {
  return { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop', name };
}

function widgetRef(): ObjectRef {
  return {
    group: 'demo.example.com',
    version: 'v1',
    resource: 'widgets',
    namespace: 'shop',
    name: 'gizmo',
  };
}

/** The Job of a world of Jobs. */
export const MIGRATION: ObjectRef = {
  group: 'batch',
  version: 'v1',
  resource: 'jobs',
  namespace: 'shop',
  name: 'migrate',
};

/** An object of KubeStellar's own group. */
export function controlRef(resource: string, name: string): ObjectRef {
  return { ...CONTROL, resource, namespace: '', name };
}

/** The definition of the custom resource. */
export const DEFINITION: ObjectRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespace: '',
  name: 'widgets.demo.example.com',
};

/** In a narrow world and in one of Jobs there is one workload object, so that everything meets at it. */
export function workloads({ narrow, jobs }: World): readonly ObjectRef[] {
  if (jobs) return [MIGRATION];
  return narrow ? [deploymentRef('web')] : [...NAMES.map(deploymentRef), widgetRef()];
}

/** The object with this text in `starfold.dev/silent-after`, or, of an empty one, without it. */
export function withSilentAfter(object: JsonObject, silentAfter: string): JsonObject {
  const metadata = member(object, 'metadata');
  const annotations = silentAfter === '' ? {} : { 'starfold.dev/silent-after': silentAfter };
  return { ...object, metadata: { ...(isObject(metadata) ? metadata : {}), annotations } };
}

/** A workload object as a user writes it. */
export function manifest(ref: ObjectRef, spec: JsonObject): JsonObject {
  const kinds: Readonly<Record<string, string>> = {
    deployments: 'Deployment',
    jobs: 'Job',
    widgets: 'Widget',
  };
  return {
    apiVersion: `${ref.group}/${ref.version}`,
    kind: kinds[ref.resource] ?? '',
    metadata: { name: ref.name, namespace: ref.namespace },
    spec,
  };
}

/** An object as it stands in the WDS. */
export function find(objects: World['wds'], ref: ObjectRef): JsonObject | undefined {
  return objects
    .objects()
    .find(({ ref: one }) => one.resource === ref.resource && one.name === ref.name)?.object;
}
