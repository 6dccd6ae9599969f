import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { type Cluster, request, requestOk, watch } from '#test/e2e/clusters.ts';

const GROUP = 'status.starfold.dev';
const API = `/apis/${GROUP}/v1alpha1`;

/** A resource of the group, and what is there for a reader with both permissions. */
export interface Served {
  readonly resource: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
  /** `''` for what has no namespace. */
  readonly namespace: string;
  /** One of its objects. Absent where they are only created. */
  readonly name?: string;
  /** The resource of the workload object that it is about. Absent where it is about none. */
  readonly workload?: { readonly group: string; readonly resource: string };
}

export const READING = ['get', 'list', 'watch'] as const;
const WRITING = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;
export const VERBS = [...READING, ...WRITING] as const;
export type Verb = (typeof VERBS)[number];

/** Everything that is served, for a Deployment `app` in this namespace and for the Namespace itself, in a WEC `wec1`. */
export function servedIn(namespace: string): readonly Served[] {
  const deployments = { group: 'apps', resource: 'deployments' };
  const namespaces = { group: '', resource: 'namespaces' };
  const app = 'deployments.apps:app';
  const place = `namespaces:${namespace}`;
  const of = { verbs: READING, namespace, workload: deployments };
  const ofCluster = { verbs: READING, namespace: '', workload: namespaces };
  return [
    { ...of, resource: 'wecstatuses', kind: 'WECStatus', name: `${app}:wec1` },
    {
      ...ofCluster,
      resource: 'clusterwecstatuses',
      kind: 'ClusterWECStatus',
      name: `${place}:wec1`,
    },
    { ...of, resource: 'explanations', kind: 'Explanation', name: app },
    { ...ofCluster, resource: 'clusterexplanations', kind: 'ClusterExplanation', name: place },
    { verbs: READING, namespace: '', resource: 'wecs', kind: 'WEC', name: 'wec1' },
    { ...of, verbs: ['create'], resource: 'statusqueries', kind: 'StatusQuery' },
    {
      ...ofCluster,
      verbs: ['create'],
      resource: 'clusterstatusqueries',
      kind: 'ClusterStatusQuery',
    },
  ];
}

function collection({ resource, namespace }: Served): string {
  return `${API}${namespace === '' ? '' : `/namespaces/${namespace}`}/${resource}`;
}

/** A body that is valid: what is refused is refused for its user. */
function bodyOf({ kind, workload, verbs }: Served): JsonObject {
  const object = { apiVersion: `${GROUP}/v1alpha1`, kind, metadata: {} };
  if (workload === undefined || !verbs.includes('create')) return object;
  return {
    ...object,
    spec: { workloads: workload, select: [{ name: 'wec', def: 'inventory.name' }] },
  };
}

function countOf(value: JsonValue | undefined): number {
  return isArray(value) ? value.length : 0;
}

/** What a watch begins with, up to the bookmark that ends it. */
async function watched(user: Cluster, served: Served): Promise<string> {
  const initial =
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const path = `${collection(served)}?watch=true&${initial}`;
  const { status, events } = await watch(user, path, (event) => event['type'] !== 'ADDED');
  if (status !== 200) return String(status);
  return `200, ${events.filter(({ type }) => type === 'ADDED').length > 0 ? 'with objects' : 'empty'}`;
}

const METHODS = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
} as const;
const OF_ONE: ReadonlySet<Verb> = new Set(['get', 'update', 'patch', 'delete']);
const WITH_BODY: ReadonlySet<Verb> = new Set(['create', 'update', 'patch']);

/** What somebody is answered whom the WDS lets do what cannot be done: of what is only created, there are no objects. */
export function unserved({ verbs }: Served, verb: Verb): '404' | '405' {
  return verbs.includes('create') && OF_ONE.has(verb) ? '404' : '405';
}

/** What a user is answered: the code, and whether there was anything in the answer. */
export async function ask(user: Cluster, verb: Verb, served: Served): Promise<string> {
  if (verb === 'watch') return watched(user, served);
  const { name = 'any' } = served;
  const { status, body } = await request(user, {
    method: METHODS[verb],
    path: OF_ONE.has(verb) ? `${collection(served)}/${name}` : collection(served),
    ...(WITH_BODY.has(verb) ? { body: bodyOf(served) } : {}),
    ...(verb === 'patch' ? { type: 'application/merge-patch+json' } : {}),
  });
  if (status >= 300) return String(status);
  const found =
    verb === 'get'
      ? at(body, 'metadata', 'name') === name
      : countOf(member(body, 'items')) + countOf(at(body, 'status', 'rows')) > 0;
  return `${status}, ${found ? 'with objects' : 'empty'}`;
}

/** One rule of a role: these verbs on a resource. */
export interface Rule {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly string[];
}

/** A ClusterRole with these rules, and its binding to a user, in the whole cluster. */
export function roleOf(user: string, rules: readonly Rule[]): readonly JsonObject[] {
  const group = 'rbac.authorization.k8s.io';
  const apiVersion = `${group}/v1`;
  const metadata = { name: user };
  return [
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata,
      rules: rules.map(({ group: of, resource, verbs }) => ({
        apiGroups: [of],
        resources: [resource],
        verbs: [...verbs],
      })),
    },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: group, kind: 'User', name: user }],
    },
  ];
}

/** Whether the API server lets a user do something, as it says itself. */
export async function isAllowed(
  user: Cluster,
  attributes: {
    readonly verb: string;
    readonly group: string;
    readonly resource: string;
    readonly namespace?: string;
  },
): Promise<boolean> {
  const answer = await requestOk(user, {
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { ...attributes } },
    },
  });
  return at(answer, 'status', 'allowed') === true;
}
