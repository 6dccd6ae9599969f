import type { JsonObject } from '#shared/core/json.ts';
import { metadataText } from '#shared/core/metadata.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';

const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1' } as const;

/** A cluster-scoped object of KubeStellar's API group. */
export function controlRef(resource: string, name: string): ObjectRef {
  return { ...CONTROL, resource, namespace: '', name };
}

/** A CombinedStatus. */
export function combinedStatusRef(namespace: string, name: string): ObjectRef {
  return { ...CONTROL, resource: 'combinedstatuses', namespace, name };
}

/** `metadata.resourceVersion`, `''` where there is none. */
export function resourceVersionOf(object: JsonObject): string {
  return metadataText(object, 'resourceVersion');
}

/** `metadata.uid`, `''` where there is none. */
export function uidOf(object: JsonObject): string {
  return metadataText(object, 'uid');
}
