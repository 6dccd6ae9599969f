import { expect, vi } from 'vitest';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  apply,
  type Cluster,
  clusters,
  MERGE_PATCH,
  pathOf,
  read,
  request,
  requestOk,
} from './clusters.ts';

const GROUP = 'control.kubestellar.io';
const VERSION = 'v1alpha1';
const apiVersion = `${GROUP}/${VERSION}`;

/** How long the WDS may take to be right, also after a restart or an outage; a test that fails waits for so long. */
const PATIENCE = { timeout: 40_000, interval: 50 };

/** Waits until a value that is read again and again is this one. */
export async function eventually<T>(get: () => Promise<T>, expected: unknown): Promise<void> {
  await vi.waitFor(async () => expect(await get()).toEqual(expected), PATIENCE);
}

/** The ref of an object of KubeStellar's own group; `namespace` is for a CombinedStatus. */
export function controlRef(resource: string, name: string, namespace = ''): ObjectRef {
  return { group: GROUP, version: VERSION, resource, namespace, name };
}

/** What a Binding asks for one workload object. */
export interface Modulation {
  readonly statusCollectors?: readonly string[];
  readonly wantSingletonReportedState?: boolean;
  readonly wantMultiWECReportedState?: boolean;
}

interface BindingOf {
  readonly name: string;
  readonly destinations: readonly string[];
  readonly objects: readonly (readonly [ObjectRef, Modulation])[];
}

/** A Binding as KubeStellar's controller would write it. */
export function bindingOf({ name, destinations, objects }: BindingOf): JsonObject {
  const entries = objects.map(([ref, modulation]): JsonObject => {
    const { namespace, ...rest } = ref;
    return {
      ...rest,
      ...(namespace === '' ? {} : { namespace }),
      resourceVersion: '1',
      ...modulation,
    };
  });
  const isNamespaced = (entry: JsonObject): boolean => entry['namespace'] !== undefined;
  return {
    apiVersion,
    kind: 'Binding',
    metadata: { name },
    spec: {
      destinations: destinations.map((clusterId) => ({ clusterId })),
      workload: {
        clusterScope: entries.filter((entry) => !isNamespaced(entry)),
        namespaceScope: entries.filter(isNamespaced),
      },
    },
  };
}

/** Creates a Binding in the WDS or makes its spec this one. */
export function bind(binding: BindingOf): Promise<JsonObject> {
  return apply(clusters().wds, controlRef('bindings', binding.name), bindingOf(binding));
}

/** Creates a StatusCollector in the WDS or makes its spec this one. */
export function collect(name: string, spec: JsonObject): Promise<JsonObject> {
  const object = { apiVersion, kind: 'StatusCollector', metadata: { name }, spec };
  return apply(clusters().wds, controlRef('statuscollectors', name), object);
}

/** Changes some fields of an object, as `kubectl patch --type=merge` does. */
export function edit(cluster: Cluster, ref: ObjectRef, change: JsonObject): Promise<JsonObject> {
  return requestOk(cluster, {
    method: 'PATCH',
    path: pathOf(ref),
    body: change,
    type: MERGE_PATCH,
  });
}

/** The CombinedStatus of an object and a Binding that stand in the WDS. */
export async function combinedStatusRef(workload: ObjectRef, binding: string): Promise<ObjectRef> {
  const { wds } = clusters();
  const uidOf = async (ref: ObjectRef): Promise<string> =>
    String(at(await read(wds, ref), 'metadata', 'uid'));
  const [object, owner] = [await uidOf(workload), await uidOf(controlRef('bindings', binding))];
  const namespace = workload.namespace === '' ? 'kubestellar-report' : workload.namespace;
  return controlRef('combinedstatuses', `${object}.${owner}`, namespace);
}

/** A member of an object in the WDS, by path; undefined where there is none. */
export function inWds(ref: ObjectRef, ...path: readonly string[]) {
  return async (): Promise<JsonValue | undefined> => at(await read(clusters().wds, ref), ...path);
}

/** What one collector gave in a CombinedStatus in the WDS; undefined where it gave nothing. */
export function resultOf(slot: ObjectRef, collector: string) {
  return async (): Promise<JsonValue | undefined> => {
    const results = await inWds(slot, 'results')();
    return isArray(results) ? results.find((one) => at(one, 'name') === collector) : undefined;
  };
}

/** The errors and the condition StatusCollectorsAvailable (its status) of a Binding. */
export function bindingSays(name: string) {
  return async (): Promise<{ available: unknown; errors: unknown }> => {
    const binding = await read(clusters().wds, controlRef('bindings', name));
    const conditions = at(binding, 'status', 'conditions');
    const own = isArray(conditions)
      ? conditions.find((entry) => at(entry, 'type') === 'StatusCollectorsAvailable')
      : undefined;
    return { available: at(own, 'status'), errors: at(binding, 'status', 'errors') };
  };
}

/** Deletes objects that may be gone. */
export async function clear(cluster: Cluster, refs: readonly ObjectRef[]): Promise<void> {
  for (const ref of refs) await request(cluster, { method: 'DELETE', path: pathOf(ref) });
}

/** Where the CombinedStatuses of objects without a namespace are. */
export const REPORT: ObjectRef = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespace: '',
  name: 'kubestellar-report',
};

/** Removes a namespace that has no objects, if it is there; no controller does that here. */
export async function removeNamespace(cluster: Cluster, name: string): Promise<void> {
  const ref = { ...REPORT, name };
  await request(cluster, { method: 'DELETE', path: pathOf(ref) });
  const standing = await read(cluster, ref);
  if (standing === undefined) return;
  await requestOk(cluster, {
    method: 'PUT',
    path: `${pathOf(ref)}/finalize`,
    body: { ...standing, spec: { finalizers: [] } },
  });
  await eventually(() => read(cluster, ref), undefined);
}

/** Removes the namespace of the CombinedStatuses of objects without one. */
export function removeReportNamespace(): Promise<void> {
  return removeNamespace(clusters().wds, REPORT.name);
}
