import { expect, vi } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import { apply, type Cluster, collectionPath, request } from './clusters.ts';

const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const TEXT = { type: 'string' };

/** A kind of others, as far as the tests fill it. */
export interface Definition extends Resource {
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly properties: JsonObject;
}

/** OCM's records, in a WEC, of what its agent has applied. */
export const WORKS: Resource = {
  group: 'work.open-cluster-management.io',
  version: 'v1',
  resource: 'appliedmanifestworks',
};

const APPLIED_RESOURCE = {
  type: 'object',
  required: ['version', 'resource', 'name', 'uid'],
  properties: {
    group: TEXT,
    version: TEXT,
    resource: TEXT,
    namespace: TEXT,
    name: TEXT,
    uid: TEXT,
  },
};

/** What OCM's klusterlet defines in a WEC (OCM API, work/v1), as far as it is filled here. */
export const APPLIED_MANIFEST_WORK: Definition = {
  ...WORKS,
  kind: 'AppliedManifestWork',
  scope: 'Cluster',
  properties: {
    spec: {
      type: 'object',
      required: ['hubHash', 'manifestWorkName'],
      properties: { hubHash: TEXT, agentID: TEXT, manifestWorkName: TEXT },
    },
    status: {
      type: 'object',
      properties: { appliedResources: { type: 'array', items: APPLIED_RESOURCE } },
    },
  },
};

/** What KubeStellar's status add-on writes, in an ITS. */
export const WORK_STATUSES: Resource = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'workstatuses',
};

/** What KubeStellar's status add-on defines in an ITS. */
export const WORK_STATUS: Definition = {
  ...WORK_STATUSES,
  kind: 'WorkStatus',
  scope: 'Namespaced',
  properties: {
    spec: {
      type: 'object',
      properties: {
        sourceRef: {
          type: 'object',
          required: ['group', 'version', 'resource', 'kind', 'name', 'namespace'],
          properties: {
            group: TEXT,
            version: TEXT,
            resource: TEXT,
            kind: TEXT,
            name: TEXT,
            namespace: TEXT,
          },
        },
      },
    },
    status: { ...OPEN, 'x-kubernetes-map-type': 'atomic' },
    statusDetails: {
      type: 'object',
      properties: {
        lastGeneration: { type: 'integer' },
        lastGenerationIsApplied: { type: 'boolean' },
        lastCurrencyUpdateTime: { type: 'string', format: 'date-time' },
      },
    },
  },
};

/** The clusters that an OCM hub knows. */
export const MANAGED_CLUSTERS: Resource = {
  group: 'cluster.open-cluster-management.io',
  version: 'v1',
  resource: 'managedclusters',
};

/** As much of OCM's ManagedCluster as is read. */
export const MANAGED_CLUSTER: Definition = {
  ...MANAGED_CLUSTERS,
  kind: 'ManagedCluster',
  scope: 'Cluster',
  properties: { spec: OPEN, status: OPEN },
};

/** The CustomResourceDefinition of a kind. */
export function definitionRef({ group, resource }: Resource): ObjectRef {
  return {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
    namespace: '',
    name: `${resource}.${group}`,
  };
}

/** Defines a kind in a cluster and waits until it is served there. */
export async function define(cluster: Cluster, definition: Definition): Promise<void> {
  const { group, version, resource, kind, scope, properties } = definition;
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const ref = definitionRef(definition);
  const { name } = ref;
  await apply(cluster, ref, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural: resource, singular: kind.toLowerCase() },
      versions: [
        { name: version, served: true, storage: true, schema, subresources: { status: {} } },
      ],
    },
  });
  await vi.waitFor(
    async () => {
      const path = collectionPath(definition);
      expect(await request(cluster, { method: 'GET', path })).toMatchObject({ status: 200 });
    },
    { timeout: 20_000, interval: 50 },
  );
}
