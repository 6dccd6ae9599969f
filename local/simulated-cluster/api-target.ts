import type { KindModels } from '#shared/adapters/kubernetes/kind-models.ts';
import { badRequest, unknownResource } from '#shared/api/status-error.ts';
import { compileFieldSelector } from './field-selector.ts';
import { compileLabelSelector } from './label-selector.ts';
import type { ObjectLifecycle } from './object-lifecycle.ts';
import type { ObjectStore } from './object-store.ts';
import type { ResourceRegistry } from './resource-registry.ts';
import { type ResourceDefinition, resourceKey } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

/** What a path of the API identifies: a resource, an object, or a subresource of an object. */
interface ApiPath {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** If absent, cluster scope, or all namespaces. */
  readonly namespace: string | undefined;
  /** If absent, the whole resource. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function groupVersionOf(
  segments: readonly string[],
): readonly [string, string, readonly string[]] | undefined {
  const [root, first, second] = segments;
  if (root === 'api' && first !== undefined) return ['', first, segments.slice(2)];
  if (root === 'apis' && first && second) return [first, second, segments.slice(3)];
  return undefined;
}

/**
 * Reads `/api/v1/...` and `/apis/<group>/<version>/...` if the path identifies at least a resource. `undefined` for any
 * other path. A namespace itself is an object of the resource `namespaces`.
 */
function parseApiPath(path: string): ApiPath | undefined {
  const [group, version, rest] = groupVersionOf(decoded(path) ?? []) ?? [];
  if (group === undefined || version === undefined || rest === undefined) return undefined;
  const inNamespace =
    rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize';
  const [resource, name, subresource, ...more] = inNamespace ? rest.slice(2) : rest;
  if (!resource || more.length > 0 || name === '') return undefined;
  return {
    group,
    version,
    resource,
    namespace: inNamespace ? rest[1] : undefined,
    name,
    subresource,
  };
}

/** The parts of a cluster that answer requests. */
export interface ClusterParts {
  readonly store: ObjectStore;
  readonly lifecycle: ObjectLifecycle;
  readonly registry: ResourceRegistry;
  readonly clock: () => Date;
  /** The fields of the kinds that come with Kubernetes. */
  readonly models: KindModels;
  readonly bookmarkIntervalMs: number;
  /** How a watch is notified that its resourceVersion is too old. */
  readonly expiredWatchAs: 'event' | 'status';
}

/** A served resource, an object of it, or a subresource of that. */
export interface ApiTarget {
  readonly definition: ResourceDefinition;
  readonly key: string;
  /** If absent, cluster scope, or all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: 'status' | 'scale' | undefined;
}

function subresourceOf(
  definition: ResourceDefinition,
  name: string | undefined,
): 'status' | 'scale' | undefined {
  if (name === undefined) return undefined;
  if (name === 'status' && definition.statusSubresource) return name;
  if (name === 'scale' && definition.scale) return name;
  throw unknownResource();
}

/**
 * What a path identifies, or `undefined` if it is not a path of the API.
 *
 * @throws StatusError 404 if the resource or the subresource is not served there
 */
export function targetOf(registry: ResourceRegistry, path: string): ApiTarget | undefined {
  const parsed = parseApiPath(path);
  if (parsed === undefined) return undefined;
  const definition = registry.find(parsed);
  if (definition === undefined) throw unknownResource();
  const { namespace, name } = parsed;
  const inPlace = definition.namespaced
    ? name === undefined || namespace !== undefined
    : namespace === undefined;
  if (!inPlace) throw unknownResource();
  const subresource = subresourceOf(definition, parsed.subresource);
  return { definition, key: resourceKey(definition), namespace, name, subresource };
}

/** Which objects of a target a request selects (`labelSelector`, `fieldSelector`, a namespace in the path). */
export function selectionOf(
  { definition, namespace }: ApiTarget,
  query: URLSearchParams,
): (stored: StoredObject) => boolean {
  const labels = compileLabelSelector(query.get('labelSelector') ?? '');
  const fields = compileFieldSelector(query.get('fieldSelector') ?? '', definition.fieldLabels);
  return (stored) =>
    (namespace === undefined || stored.namespace === namespace) &&
    labels(stored.object) &&
    fields(stored.object);
}

/**
 * An integer of a query, or `undefined` if it is absent.
 *
 * @throws StatusError 400 if it is not an integer
 */
export function wholeNumber(query: URLSearchParams, key: string): number | undefined {
  const value = query.get(key);
  if (value === null || value === '') return undefined;
  if (!/^\d{1,15}$/.test(value))
    throw badRequest(`${key}: Invalid value: "${value}": must be a non-negative integer`);
  return Number(value);
}

/** The namespace that an object of a target is stored under. */
export function storedNamespace({ definition, namespace }: ApiTarget): string {
  return definition.namespaced ? (namespace ?? '') : '';
}
