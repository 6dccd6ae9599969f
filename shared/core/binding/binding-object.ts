import {
  at,
  equalJson,
  isArray,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';
import type { BindingPolicy } from './binding-policy.ts';
import type { ResolvedBinding, ResolvedObject } from './resolved-binding.ts';

function entryOf({ modulation, ...object }: ResolvedObject): JsonObject {
  const { namespace, ...rest } = object;
  const { createOnly, statusCollectors, ...wants } = modulation;
  return {
    ...rest,
    ...(namespace === '' ? {} : { namespace }),
    ...(createOnly ? { createOnly } : {}),
    ...(statusCollectors.length > 0 ? { statusCollectors } : {}),
    ...(wants.wantSingletonReportedState ? { wantSingletonReportedState: true } : {}),
    ...(wants.wantMultiWECReportedState ? { wantMultiWECReportedState: true } : {}),
  };
}

/**
 * The Binding of a BindingPolicy. It has the name of the policy and is controlled by the policy (KubeStellar,
 * `BindingSpec`). The CRD requires that every object has all its names and its resourceVersion. False and empty values
 * are left out.
 */
export function bindingObject(
  policy: Pick<BindingPolicy, 'name' | 'uid'>,
  resolved: ResolvedBinding,
): JsonObject {
  const { name, uid } = policy;
  const ofCluster = resolved.objects.filter(({ namespace }) => namespace === '').map(entryOf);
  const ofNamespaces = resolved.objects.filter(({ namespace }) => namespace !== '').map(entryOf);
  const owner = { apiVersion: CONTROL_API_VERSION, kind: 'BindingPolicy', name, uid };
  return {
    apiVersion: CONTROL_API_VERSION,
    kind: 'Binding',
    metadata: {
      name,
      ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: false }],
    },
    spec: {
      destinations: resolved.destinations.map((clusterId) => ({ clusterId })),
      workload: {
        ...(ofCluster.length > 0 ? { clusterScope: ofCluster } : {}),
        ...(ofNamespaces.length > 0 ? { namespaceScope: ofNamespaces } : {}),
      },
    },
  };
}

/** How two Bindings are compared. */
export interface BindingComparison {
  /**
   * Treat entries that differ only in their resourceVersion as equal. A resolver that has just been started knows only
   * the present resourceVersions. With this option, an entry that it finds in the WDS stays until the resolver sees the
   * content of its object change. A change that happened before the start is missed.
   */
  readonly ignoreResourceVersions?: boolean;
}

const NAMES = ['group', 'version', 'resource', 'namespace', 'name'] as const;
const FLAGS = ['createOnly', 'wantSingletonReportedState', 'wantMultiWECReportedState'] as const;

function listAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const list = at(value, ...path);
  return isArray(list) ? list : [];
}

/** The entries of a list that represents a set or a map, without regard to their order. */
function unordered(values: readonly JsonValue[]): readonly string[] {
  return values.map(stringifyJson).sort();
}

function normalEntry(entry: JsonValue, { ignoreResourceVersions }: BindingComparison): JsonValue {
  return [
    NAMES.map((name) => member(entry, name) ?? ''),
    ignoreResourceVersions === true ? '' : (member(entry, 'resourceVersion') ?? ''),
    FLAGS.map((flag) => member(entry, flag) ?? false),
    [...new Set(unordered(listAt(entry, 'statusCollectors')))],
  ];
}

function normalOwner(owner: JsonValue): JsonValue {
  return ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'].map(
    (name) => member(owner, name) ?? false,
  );
}

function normalSpec(binding: JsonObject, comparison: BindingComparison): JsonValue {
  const entries = (scope: string): readonly string[] =>
    unordered(
      listAt(binding, 'spec', 'workload', scope).map((entry) => normalEntry(entry, comparison)),
    );
  return [
    unordered(
      listAt(binding, 'spec', 'destinations').map((entry) => member(entry, 'clusterId') ?? null),
    ),
    entries('clusterScope'),
    entries('namespaceScope'),
  ];
}

/**
 * Whether the Binding in the WDS already has the wanted content, so that it needs no write: it has the same
 * destinations and objects in any order, and is controlled by the same policy. An absent value means false or empty.
 * Other owners, labels, annotations, the status, and fields that a Binding of this version does not have are ignored.
 */
export function sameBinding(
  current: JsonObject,
  wanted: JsonObject,
  comparison: BindingComparison = {},
): boolean {
  const owners = unordered(listAt(current, 'metadata', 'ownerReferences').map(normalOwner));
  const wantedOwners = unordered(listAt(wanted, 'metadata', 'ownerReferences').map(normalOwner));
  return (
    wantedOwners.every((owner) => owners.includes(owner)) &&
    equalJson(normalSpec(current, comparison), normalSpec(wanted, comparison))
  );
}
