import { KubeConfig } from '@kubernetes/client-node';
import { withBoundedDepth } from '#shared/core/bounded-depth.ts';
import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { ApiNotFoundError } from '#shared/errors.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { parseObject } from './answer-json.ts';
import {
  type ApiRequest,
  type Connection,
  type ConnectionOptions,
  connect,
  type KubeConfigSource,
} from './connection.ts';
import { createStatusSubresources, discoverResources } from './discovery.ts';
import { listResource } from './list.ts';
import { collectionPath, objectName, objectPath, withQuery } from './paths.ts';
import { watchResource } from './watch.ts';
import type { WatchTimes } from './watch-guard.ts';

const JSON_TYPE = 'application/json';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';

/** client-go's page size. */
const DEFAULT_PAGE_SIZE = 500;

const DEFAULT_WATCH: WatchTimes = {
  minSeconds: 300,
  maxSeconds: 600,
  graceMs: 30_000,
  idleMs: 180_000,
  random: Math.random,
};

/** Options of the client of an API server. */
export interface KubernetesApiOptions extends ConnectionOptions {
  /** Context of the kubeconfig. Default: its current one. */
  readonly context?: string;
  /** The name under which the API server records which fields this client owns. At most 128 characters. */
  readonly fieldManager: string;
  /** The number of objects in a page of a list. */
  readonly pageSize?: number;
  readonly watch?: Partial<WatchTimes>;
}

function inContext(kubeConfig: KubeConfig, context: string | undefined): KubeConfig {
  if (context === undefined || context === kubeConfig.getCurrentContext()) return kubeConfig;
  const own = new KubeConfig();
  own.loadFromOptions({
    clusters: kubeConfig.getClusters(),
    contexts: kubeConfig.getContexts(),
    users: kubeConfig.getUsers(),
    currentContext: context,
  });
  return own;
}

function createObjectApi(connection: Connection, fieldManager: string): ObjectApi {
  const statusSubresource = createStatusSubresources(connection, () => performance.now());
  const send = async (request: ApiRequest): Promise<JsonObject> =>
    withBoundedDepth(parseObject(request.operation, await connection.send(request)));
  const written = (path: string): string => withQuery(path, { fieldManager });

  return {
    get: async (ref, signal) => {
      try {
        return await send({
          operation: `get ${objectName(ref)}`,
          method: 'GET',
          path: objectPath(ref),
          signal,
        });
      } catch (error) {
        if (error instanceof ApiNotFoundError) return undefined;
        throw error;
      }
    },
    create: (ref, object, signal) =>
      send({
        operation: `create ${objectName(ref)}`,
        method: 'POST',
        path: written(collectionPath(ref, ref.namespace)),
        body: { contentType: JSON_TYPE, text: stringifyJson(object) },
        signal,
      }),
    replace: (ref, object, signal) =>
      send({
        operation: `replace ${objectName(ref)}`,
        method: 'PUT',
        path: written(objectPath(ref)),
        body: { contentType: JSON_TYPE, text: stringifyJson(object) },
        signal,
      }),
    replaceStatus: async (ref, change, signal) => {
      const subresource = (await statusSubresource(ref, signal)) ? '/status' : '';
      // A merge patch would keep members that the new status lacks, and a PUT would need the whole object. The API server
      // applies a JSON patch to the current object and then compares resourceVersions: a stale one is a 409. (A `test`
      // operation that fails would be a 422, which looks the same as an invalid status.)
      const patch: JsonValue = [
        { op: 'replace', path: '/metadata/resourceVersion', value: change.resourceVersion },
        { op: 'add', path: '/status', value: change.status },
      ];
      return send({
        operation: `replace status of ${objectName(ref)}`,
        method: 'PATCH',
        path: written(`${objectPath(ref)}${subresource}`),
        body: { contentType: JSON_PATCH, text: stringifyJson(patch) },
        signal,
      });
    },
    patchLabels: (ref, { resourceVersion, labels }, signal) =>
      send({
        operation: `patch labels of ${objectName(ref)}`,
        method: 'PATCH',
        path: written(objectPath(ref)),
        body: {
          contentType: MERGE_PATCH,
          text: stringifyJson({ metadata: { resourceVersion, labels } }),
        },
        signal,
      }),
    delete: async (ref, { uid, resourceVersion }, signal) => {
      const options = {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        preconditions: { uid, resourceVersion },
      };
      try {
        await connection.send({
          operation: `delete ${objectName(ref)}`,
          method: 'DELETE',
          path: objectPath(ref),
          body: { contentType: JSON_TYPE, text: stringifyJson(options) },
          signal,
        });
      } catch (error) {
        if (!(error instanceof ApiNotFoundError)) throw error;
      }
    },
  };
}

/**
 * The Kubernetes ports on an API server. Credentials, TLS, exec plugins and proxies come from the kubeconfig. Bodies are passed
 * as text without loss, which the client's typed calls cannot do. Nothing is retried here.
 *
 * @throws KubeConfigError if the context has no cluster.
 */
export function createKubernetesApi(
  kubeConfig: KubeConfigSource,
  options: KubernetesApiOptions,
): ObjectApi & ResourceApi {
  const { context } = options;
  const source = typeof kubeConfig === 'function' ? kubeConfig : inContext(kubeConfig, context);
  const connection = connect(source, options);
  const times = { ...DEFAULT_WATCH, ...options.watch };
  const pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
  return {
    ...createObjectApi(connection, options.fieldManager),
    discover: (signal) => discoverResources(connection, signal),
    list: (resource, selection, signal) =>
      listResource(
        connection,
        { resource, selection, pageSize: selection.pageSize ?? pageSize },
        signal,
      ),
    watch: (resource, watchOptions, signal) =>
      watchResource(connection, times, { resource, options: watchOptions, signal }),
  };
}
