import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { KindSets } from '#test/property/status/kind-sets.ts';
import { DEPLOYMENT } from '#test/property/status/kinds/deployment-sets.ts';
import { JOB } from '#test/property/status/kinds/job-sets.ts';
import { POD_DISRUPTION_BUDGET } from '#test/property/status/kinds/pod-disruption-budget-sets.ts';
import { SERVICE } from '#test/property/status/kinds/service-sets.ts';
import { STATEFUL_SET } from '#test/property/status/kinds/stateful-set-sets.ts';
import type { Random } from '#test/simulation/scheduler.ts';

/** A kind of workload object. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly readsGeneration: boolean;
  /** Members of the object beside metadata and status. */
  content(random: Random): JsonObject;
  /** A status that a WEC may have for this content; absent: the kind has none. */
  status?(random: Random, content: JsonObject): JsonObject;
}

function sampled<T>(arbitrary: fc.Arbitrary<T>, random: Random): T {
  const [value] = fc.sample(arbitrary, { seed: random.below(2 ** 31), numRuns: 1 });
  if (value === undefined) throw new RangeError('no sample');
  return value;
}

function ofSets(sets: KindSets, resource: string): Kind {
  const { apiVersion, kind, readsGeneration } = sets;
  return {
    apiVersion,
    kind,
    resource,
    namespaced: true,
    readsGeneration,
    content: (random) => ({ spec: sampled(sets.specs, random) }),
    // The content is one that was made here.
    status: (random, { spec }) => sampled(sets.statuses(spec as JsonObject), random),
  };
}

function conditions(random: Random): JsonObject[] {
  return ['Ready', 'Synced'].flatMap((type) =>
    random.chance(0.3)
      ? []
      : [
          {
            type,
            status: random.pick(['True', 'False', 'Unknown']),
            reason: random.pick(['Works', 'Waits']),
            message: '',
            lastTransitionTime: `2026-01-01T00:00:0${random.below(10)}Z`,
          },
        ],
  );
}

function custom(kind: 'Widget' | 'Gadget', namespaced: boolean): Kind {
  return {
    apiVersion: 'demo.example.com/v1',
    kind,
    resource: `${kind.toLowerCase()}s`,
    namespaced,
    readsGeneration: true,
    content: (random) => ({
      spec: { size: random.below(4), colour: random.pick(['red', 'blue']) },
    }),
    status: (random) => ({
      phase: random.pick(['Running', 'Pending']),
      ready: random.chance(0.5),
      count: random.below(5),
      conditions: conditions(random),
    }),
  };
}

/** The workload objects of the histories: with and without status, namespaced and cluster-scoped, built in and custom. */
export const KINDS: readonly Kind[] = [
  ofSets(DEPLOYMENT, 'deployments'),
  ofSets(STATEFUL_SET, 'statefulsets'),
  ofSets(JOB, 'jobs'),
  ofSets(SERVICE, 'services'),
  ofSets(POD_DISRUPTION_BUDGET, 'poddisruptionbudgets'),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    resource: 'configmaps',
    namespaced: true,
    readsGeneration: false,
    content: (random) => ({ data: { key: String(random.below(3)) } }),
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    resource: 'clusterroles',
    namespaced: false,
    readsGeneration: false,
    content: (random) => ({
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: [random.pick(['get', 'list'])] }],
    }),
  },
  custom('Widget', true),
  custom('Gadget', false),
];

function definition(
  kind: 'Widget' | 'Gadget',
  scope: string,
  subresources: JsonObject,
): JsonObject {
  const singular = kind.toLowerCase();
  const integer = { type: 'integer' };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.demo.example.com` },
    spec: {
      group: 'demo.example.com',
      scope,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          ...subresources,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  properties: { size: integer, colour: { type: 'string' } },
                },
                status: open,
              },
            },
          },
        },
      ],
    },
  };
}

/** The CustomResourceDefinitions: one kind has a status subresource, the other one has none. */
export const DEFINITIONS: readonly JsonObject[] = [
  definition('Widget', 'Namespaced', { subresources: { status: {} } }),
  definition('Gadget', 'Cluster', {}),
];

/** The inventory's. */
export const MANAGED_CLUSTERS: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'managedclusters.cluster.open-cluster-management.io' },
  spec: {
    group: 'cluster.open-cluster-management.io',
    scope: 'Cluster',
    names: { kind: 'ManagedCluster', plural: 'managedclusters', singular: 'managedcluster' },
    versions: [
      { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: {} },
    ],
  },
};

export const NAMESPACES = ['shop', 'lab'] as const;
const LONG = 'a-name-that-is-longer-than-the-sixty-three-characters-of-a-label-value';
const NAMES = ['web', 'api'] as const;

/** One workload object that the histories know. */
export interface Slot {
  readonly kind: Kind;
  readonly ref: ObjectRef;
}

function slot(kind: Kind, namespace: string, name: string): Slot {
  const { apiVersion, resource } = kind;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { kind, ref: { group, version, resource, namespace, name } };
}

/** Every workload object that the histories know, whether or not it stands. */
export const SLOTS: readonly Slot[] = KINDS.flatMap((kind) => {
  if (!kind.namespaced) return NAMES.map((name) => slot(kind, '', name));
  const named = NAMESPACES.flatMap((namespace) => NAMES.map((name) => slot(kind, namespace, name)));
  return kind.kind === 'ConfigMap' ? [...named, slot(kind, 'shop', LONG)] : named;
});

/** The object of a slot as a user writes it. */
export function manifest({ kind, ref }: Slot, content: JsonObject, labels: JsonObject): JsonObject {
  const { name, namespace } = ref;
  const place = namespace === '' ? { name } : { name, namespace };
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...place, ...(Object.keys(labels).length === 0 ? {} : { labels }) },
    ...content,
  };
}
