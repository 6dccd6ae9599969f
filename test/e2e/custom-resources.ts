import { expect, vi } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import { apply, type Cluster, collectionPath, request } from './clusters.ts';
import type { Manifest, Place } from './workloads.ts';

/** A kind of the tests' own; its spec may be anything. */
export interface CustomKind {
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly statusSubresource: boolean;
  /** Schema of the status; absent: it may be anything. */
  readonly status?: JsonObject;
}

const GROUP = 'others.starfold.dev';

function resourceOf({ kind }: CustomKind): Resource {
  return { group: GROUP, version: 'v1', resource: `${kind.toLowerCase()}s` };
}

/** Defines the kind in a cluster and waits until it is served there. */
export async function define(cluster: Cluster, custom: CustomKind): Promise<void> {
  const { kind, scope, statusSubresource } = custom;
  const resource = resourceOf(custom);
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const status = custom.status ?? open;
  const openAPIV3Schema = { type: 'object', properties: { spec: open, status } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  const ref: ObjectRef = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
    namespace: '',
    name: `${resource.resource}.${GROUP}`,
  };
  await apply(cluster, ref, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: ref.name },
    spec: {
      group: GROUP,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural: resource.resource,
        singular: kind.toLowerCase(),
      },
      versions: [{ ...version, ...(statusSubresource ? { subresources: { status: {} } } : {}) }],
    },
  });
  await vi.waitFor(
    async () => {
      const { status } = await request(cluster, { method: 'GET', path: collectionPath(resource) });
      expect(status).toBe(200);
    },
    { timeout: 20_000, interval: 50 },
  );
}

/** An object of the kind; `namespace` is `''` for a cluster-scoped one. */
export function instance(custom: CustomKind, place: Place): Manifest {
  const { namespace, name } = place;
  return {
    ref: { ...resourceOf(custom), namespace, name },
    object: {
      apiVersion: `${GROUP}/v1`,
      kind: custom.kind,
      metadata: { name, ...(namespace === '' ? {} : { namespace }), labels: { app: name } },
      spec: { size: 3 },
    },
  };
}
