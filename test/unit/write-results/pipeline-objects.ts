import type { ReturnedObject } from '#shared/core/event.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Pipeline } from '#test/fakes/pipeline.ts';

const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };

/** An object of KubeStellar's API group. */
export function control(resource: string, name: string): ObjectRef {
  return { ...CONTROL, resource, name };
}

/** A ConfigMap-like thing with a status, in the namespace `shop`. */
export function thing(name: string): ObjectRef {
  return { group: 'example.org', version: 'v1', resource: 'things', namespace: 'shop', name };
}

/** The workload that an object of the WDS is. */
export function workloadOf({ version: _version, ...ref }: ObjectRef): WorkloadRef {
  return { wds: 'wds1', ...ref };
}

/** What a WEC returns of an object with this status. */
export function returned(status: JsonValue, generation = 1): ReturnedObject {
  return { uid: 'u', generation, sourceGeneration: generation, status };
}

/** A Binding of these objects to these WECs. */
export function binding(
  wecs: readonly string[],
  objects: readonly ObjectRef[],
  asked: JsonObject = { wantMultiWECReportedState: true },
): JsonObject {
  const entries = objects.map((ref) => ({ ...ref, ...asked }));
  return {
    kind: 'Binding',
    metadata: {},
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: entries.filter(({ namespace }) => namespace !== ''),
        clusterScope: entries.filter(({ namespace }) => namespace === ''),
      },
    },
  };
}

/** Puts an object of the kind `Thing` into the WDS. */
export function applyThing(pipeline: Pipeline, ref: ObjectRef): void {
  const metadata = { name: ref.name, namespace: ref.namespace };
  pipeline.wds.apply(ref, { apiVersion: 'example.org/v1', kind: 'Thing', metadata, spec: {} });
}

/** A field of an object in the WDS. */
export async function shown(
  pipeline: Pipeline,
  ref: ObjectRef,
  ...path: readonly string[]
): Promise<JsonValue | undefined> {
  return at(await pipeline.wds.api.get(ref), ...path);
}

/** The CombinedStatuses in the WDS. */
export function combinedStatuses(pipeline: Pipeline): readonly JsonObject[] {
  return pipeline.wds
    .objects()
    .filter(({ ref }) => ref.resource === 'combinedstatuses')
    .map(({ object }) => object);
}
