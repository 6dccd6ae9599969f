import { execFile } from 'node:child_process';
import type { IncomingMessage } from 'node:http';
import { Agent, request as startRequest } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '#shared/core/json.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';

/** Only some suites have a third WEC. */
export type ClusterName = 'wds' | 'wec1' | 'wec2' | 'wec3';

/** One API server of this run, with the credentials of an administrator. */
export interface Cluster {
  readonly name: ClusterName;
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
  /** Its etcd, `http://127.0.0.1:PORT`. */
  readonly etcdUrl: string;
}

/** What global-setup.ts has started. */
export interface Clusters {
  /** A kubeconfig file with the contexts `wds`, `wec1` and `wec2`. */
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  readonly wds: Cluster;
  readonly wec1: Cluster;
  readonly wec2: Cluster;
}

declare module 'vitest' {
  interface ProvidedContext {
    clusters: Clusters;
  }
}

/** The clusters of this run; only in tests that run under test/e2e/vitest.config.ts. */
export function clusters(): Clusters {
  return inject('clusters');
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly body?: JsonValue;
  /** Content type of the body; absent: `application/json`. */
  readonly type?: string;
  readonly accept?: string;
}

export interface Answer {
  /** HTTP status code. */
  readonly status: number;
  /** The body, a Kubernetes `Status` where the call failed; `{}` where it is no JSON object. */
  readonly body: JsonObject;
}

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';

const agents = new Map<string, Agent>();

function agentOf(cluster: Cluster): Agent {
  const { caPem: ca, certPem: cert, keyPem: key } = cluster;
  const name = `${cluster.server} ${cert}`;
  const known = agents.get(name);
  if (known !== undefined) return known;
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  agents.set(name, agent);
  return agent;
}

function send(cluster: Cluster, call: Call): Promise<IncomingMessage> {
  const headers: Record<string, string | number> = { accept: call.accept ?? 'application/json' };
  const content = call.body === undefined ? '' : JSON.stringify(call.body);
  if (content !== '') headers['content-type'] = call.type ?? 'application/json';
  // Explicit, because Node sends the body of a DELETE without any length: the API server would not see its preconditions.
  headers['content-length'] = Buffer.byteLength(content);
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(
      new URL(call.path, cluster.server),
      { method: call.method, agent: agentOf(cluster), headers },
      resolve,
    );
    outgoing.on('error', reject);
    outgoing.end(content);
  });
}

/** One HTTP call as the administrator; whatever the API server answers is returned. */
export async function request(cluster: Cluster, call: Call): Promise<Answer> {
  const incoming = await send(cluster, call);
  const content = await text(incoming);
  const body = incoming.headers['content-type']?.includes('json') ? parseJson(content) : {};
  return { status: incoming.statusCode ?? 0, body: isObject(body) ? body : {} };
}

/** As {@link request}, for a call that must succeed: returns the body. */
export async function requestOk(cluster: Cluster, call: Call): Promise<JsonObject> {
  const { status, body } = await request(cluster, call);
  if (status >= 200 && status < 300) return body;
  throw new Error(
    `${cluster.name}: ${call.method} ${call.path}: ${status} ${String(body['message'])}`,
  );
}

/**
 * The lines of a watch, up to and with the one for which `isLast` says so, or until the server ends it.
 *
 * @param path - with `watch=true` and whatever else the query needs.
 */
export async function watch(
  cluster: Cluster,
  path: string,
  isLast: (event: JsonObject) => boolean,
): Promise<{ readonly status: number; readonly events: readonly JsonObject[] }> {
  const incoming = await send(cluster, { method: 'GET', path });
  const events: JsonObject[] = [];
  try {
    for await (const line of createInterface({ input: incoming })) {
      const event = parseJson(line);
      if (!isObject(event)) throw new Error(`not a watch event: ${line}`);
      events.push(event);
      if (isLast(event)) break;
    }
  } finally {
    incoming.destroy();
  }
  return { status: incoming.statusCode ?? 0, events };
}

/** The path of a resource, in one namespace or (`''`) in the whole cluster. */
export function collectionPath(resource: Resource, namespace = ''): string {
  const api = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
  return `${api}/${resource.version}${scope}/${resource.resource}`;
}

/** The path of one object. */
export function pathOf(ref: ObjectRef): string {
  return `${collectionPath(ref, ref.namespace)}/${ref.name}`;
}

/** Creates the object or makes its fields these (server-side apply); returns it as stored. */
export function apply(cluster: Cluster, ref: ObjectRef, object: JsonObject): Promise<JsonObject> {
  return requestOk(cluster, {
    method: 'PATCH',
    path: `${pathOf(ref)}?fieldManager=e2e&force=true&fieldValidation=Strict`,
    body: object,
    type: 'application/apply-patch+yaml',
  });
}

/** The object, or `undefined` where there is none. */
export async function read(cluster: Cluster, ref: ObjectRef): Promise<JsonObject | undefined> {
  const { status, body } = await request(cluster, { method: 'GET', path: pathOf(ref) });
  if (status === 200) return body;
  if (status === 404) return undefined;
  throw new Error(`${cluster.name}: GET ${pathOf(ref)}: ${status} ${String(body['message'])}`);
}

/**
 * The objects of a resource, in one namespace or (`''`) in the whole cluster. Those of Kubernetes' own kinds do not say
 * what they are: their `apiVersion` and `kind` are missing.
 *
 * @throws Error where the call fails.
 */
export async function listObjects(
  cluster: Cluster,
  resource: Resource,
  namespace = '',
): Promise<readonly JsonObject[]> {
  const path = collectionPath(resource, namespace);
  const items = member(await requestOk(cluster, { method: 'GET', path }), 'items');
  return isArray(items) ? items.filter(isObject) : [];
}

/** Deletes the object, whatever its version. */
export async function remove(cluster: Cluster, ref: ObjectRef): Promise<void> {
  // Of a Job the default is to leave its pods behind, which a WDS has no controller for.
  const path = `${pathOf(ref)}?propagationPolicy=Background`;
  await requestOk(cluster, { method: 'DELETE', path });
}

/** Makes `.status` exactly this, as the kind's controller would (status subresource); returns the object as stored. */
export function setStatus(
  cluster: Cluster,
  ref: ObjectRef,
  status: JsonValue,
): Promise<JsonObject> {
  return requestOk(cluster, {
    method: 'PATCH',
    path: `${pathOf(ref)}/status`,
    body: [{ op: 'add', path: '/status', value: status }],
    type: JSON_PATCH,
  });
}

/** Creates a namespace, if need be. Nothing deletes its objects with it: no controller runs in these clusters. */
export async function createNamespace(cluster: Cluster, name: string): Promise<void> {
  const ref = { group: '', version: 'v1', resource: 'namespaces', namespace: '', name };
  await apply(cluster, ref, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

/**
 * Runs kubectl against one cluster and returns what it prints.
 *
 * @throws Error with its messages when it fails.
 */
export async function kubectl(cluster: ClusterName, args: readonly string[]): Promise<string> {
  const { kubeconfigPath, kubectlPath } = clusters();
  const options = ['--kubeconfig', kubeconfigPath, '--context', cluster];
  return (await promisify(execFile)(kubectlPath, [...options, ...args])).stdout;
}
