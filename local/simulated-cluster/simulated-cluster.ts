import { randomUUID } from 'node:crypto';
import { stringify } from 'yaml';
import { type KindModels, loadKindModels } from '#shared/adapters/kubernetes/kind-models.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { REPORT_NAMESPACE } from '#shared/core/kubestellar.ts';
import { AppError } from '#shared/errors.ts';
import type { ClusterParts } from './api-target.ts';
import { BUILT_IN_RESOURCES } from './built-in-resources.ts';
import { startControllers } from './cluster-controllers.ts';
import { HttpServer } from './http-server.ts';
import { ObjectLifecycle } from './object-lifecycle.ts';
import { nameOf, ObjectStore } from './object-store.ts';
import { ResourceRegistry } from './resource-registry.ts';
import { NAMESPACES, type ResourceDefinition, resourceKey } from './resources.ts';
import { metadataText, StoredObject } from './stored-object.ts';

/** The port of a simulated cluster is in use. */
class PortInUseError extends AppError {
  override readonly name = 'PortInUseError';
  readonly code = 'port-in-use';
  readonly retryable = false;
  readonly port: number;
  constructor(cluster: string, port: number, options?: ErrorOptions) {
    super(
      `simulated cluster ${cluster}: port ${port} of 127.0.0.1 is in use; end the process that listens there, or choose another port (0 takes any free one)`,
      options,
    );
    this.port = port;
  }
}

/** The options of a simulated cluster. */
export interface SimulatedClusterOptions {
  /** Name of the cluster, and of its context in the kubeconfig. */
  readonly name: string;
  /** Port on 127.0.0.1. 0 (the default) means any free port. */
  readonly port?: number;
  /**
   * What the cluster serves at first in addition to namespaces. CustomResourceDefinitions add to it if they are served.
   * Default: `BUILT_IN_RESOURCES`.
   */
  readonly resources?: readonly ResourceDefinition[];
  /** Makes uids. */
  readonly idGenerator?: () => string;
  readonly clock?: () => Date;
  /** After how many changes of a resource a watch can still start. Beyond that, it has expired. Default 2048. */
  readonly historySize?: number;
  /** Time between two bookmarks of a watch. Default: one minute, as in API servers. */
  readonly bookmarkIntervalMs?: number;
  /**
   * How a watch from a resourceVersion that is too old is notified: by an ERROR event (default) or by the HTTP status
   * 410.
   */
  readonly expiredWatchAs?: 'event' | 'status';
}

/** A running simulated cluster. */
export interface SimulatedCluster {
  readonly name: string;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Text of a kubeconfig with this cluster as its only and current context. */
  kubeconfig(): string;
  /**
   * Stores an object as it is (status, uid, generation, managedFields), except its resourceVersion. Creates its
   * namespace if it is missing. An object of the same name with another uid is deleted first. If the same object is
   * already stored, nothing happens.
   *
   * @throws RangeError if its kind is not served or it has no name
   */
  apply(object: JsonObject): void;
  /**
   * Removes an object immediately, regardless of finalizers. The deletion event contains the object as given, or as
   * stored if only `apiVersion`, `kind` and its name are given. If there is no such object, nothing happens.
   *
   * @throws RangeError if its kind is not served
   */
  delete(object: JsonObject): void;
  /** Removes the history: every older watch and list page expires (410). */
  forgetHistory(): void;
  /** Ends all watches and connections and stops listening. */
  close(): Promise<void>;
}

const FIRST_NAMESPACES = ['default', 'kube-system', REPORT_NAMESPACE];
const DEFAULT_HISTORY_SIZE = 2048;
const DEFAULT_BOOKMARK_INTERVAL_MS = 60_000;
const MANAGER = 'simulated-cluster';

function partsOf(options: SimulatedClusterOptions, models: KindModels): ClusterParts {
  const clock = options.clock ?? (() => new Date());
  const idGenerator = options.idGenerator ?? randomUUID;
  const store = new ObjectStore(options.historySize ?? DEFAULT_HISTORY_SIZE);
  const lifecycle = new ObjectLifecycle(store, { clock, idGenerator, models });
  const registry = new ResourceRegistry([
    ...BUILT_IN_RESOURCES.filter((definition) => resourceKey(definition) === NAMESPACES),
    ...(options.resources ?? BUILT_IN_RESOURCES),
  ]);
  startControllers({ store, lifecycle, registry });
  return {
    store,
    lifecycle,
    registry,
    clock,
    models,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? DEFAULT_BOOKMARK_INTERVAL_MS,
    expiredWatchAs: options.expiredWatchAs ?? 'event',
  };
}

function ensureNamespace({ store, lifecycle, registry }: ClusterParts, name: string): void {
  const definition = registry.findKind('v1', 'Namespace');
  if (definition === undefined || store.get(NAMESPACES, { namespace: '', name })) return;
  const request = { definition, namespace: '', manager: MANAGER, dryRun: false };
  lifecycle.create(request, { metadata: { name } });
}

function definitionOf({ registry }: ClusterParts, object: JsonObject): ResourceDefinition {
  const apiVersion = String(member(object, 'apiVersion') ?? '');
  const kind = String(member(object, 'kind') ?? '');
  const definition = registry.findKind(apiVersion, kind);
  if (definition === undefined) throw new RangeError(`not served here: ${apiVersion} ${kind}`);
  return definition;
}

function apply(parts: ClusterParts, object: JsonObject): void {
  const definition = definitionOf(parts, object);
  const key = resourceKey(definition);
  const target = nameOf(object);
  if (target.name === '') throw new RangeError(`an object of kind ${definition.kind} has no name`);
  if (definition.namespaced) ensureNamespace(parts, target.namespace);
  const stored = parts.store.get(key, target);
  if (stored) {
    if (new StoredObject(object, stored.version).text === stored.text) return;
    if (metadataText(stored.object, 'uid') !== metadataText(object, 'uid'))
      parts.store.remove(key, target);
  }
  parts.store.put(key, object);
}

function remove(parts: ClusterParts, object: JsonObject): void {
  const whole = metadataText(object, 'uid') !== '';
  const key = resourceKey(definitionOf(parts, object));
  parts.store.remove(key, nameOf(object), whole ? object : undefined);
}

function kubeconfigText(name: string, server: string): string {
  // There is no TLS to verify, but the JavaScript client accepts an http address only with this option.
  const cluster = { server, 'insecure-skip-tls-verify': true };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function inUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/**
 * Starts a small Kubernetes API server with its own empty, transient store. `kubectl` and any client of the API can use it.
 * It runs no pods.
 *
 * A client may notice these differences from a real one: no authentication; for a built-in kind, only a written
 * `.status` is validated, and for any other one everything but the expressions of its schema; unknown fields are kept, nothing is
 * defaulted; no server-side apply, managedFields only for
 * writes of `.status` and `/scale`, one served version for each resource, deletion is always in the background, garbage
 * collection is immediate.
 *
 * @throws PortInUseError if another process listens on the port
 */
export async function startSimulatedCluster(
  options: SimulatedClusterOptions,
): Promise<SimulatedCluster> {
  const parts = partsOf(options, await loadKindModels());
  for (const namespace of FIRST_NAMESPACES) ensureNamespace(parts, namespace);
  const server = new HttpServer(parts);
  const port = options.port ?? 0;
  const actualPort = await server.listen(port).catch((error: unknown) => {
    if (inUse(error)) throw new PortInUseError(options.name, port, { cause: error });
    throw error;
  });
  const url = `http://127.0.0.1:${actualPort}`;
  return {
    name: options.name,
    url,
    kubeconfig: () => kubeconfigText(options.name, url),
    apply: (object) => apply(parts, object),
    delete: (object) => remove(parts, object),
    forgetHistory: () => parts.store.forgetHistory(),
    close: () => server.close(),
  };
}
