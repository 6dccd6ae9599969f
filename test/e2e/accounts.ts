import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { isArray, type JsonObject, type JsonValue, member, textAt } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { texts } from './chart-objects.ts';
import { apply, type Cluster, createNamespace, pathOf, requestOk } from './clusters.ts';
import { CHART, helm, objectsOf } from './helm.ts';

/** A ServiceAccount. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

const ACCOUNT_KINDS: ReadonlySet<unknown> = new Set([
  ...['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'],
]);

/** Those among the objects of a chart that give its account its rights: the account, the roles and their bindings. */
export function accessAmong(objects: readonly JsonObject[]): readonly JsonObject[] {
  return objects.filter(({ kind }) => ACCOUNT_KINDS.has(kind));
}

function refOf(object: JsonObject): ObjectRef {
  const [version = '', group = ''] = textAt(object, 'apiVersion').split('/').reverse();
  const resource = `${textAt(object, 'kind').toLowerCase()}s`;
  const namespace = textAt(object, 'metadata', 'namespace');
  return { group, version, resource, namespace, name: textAt(object, 'metadata', 'name') };
}

/** Applies objects of kinds whose plural has an `s` more, as `kubectl apply --server-side` does. */
export async function applyObjects(
  cluster: Cluster,
  objects: readonly JsonObject[],
): Promise<void> {
  for (const object of objects) await apply(cluster, refOf(object), object);
}

/** What the chart renders for a forwarder. */
export interface Release {
  /** The ServiceAccount, its roles and their bindings. */
  readonly access: readonly JsonObject[];
  readonly account: Account;
  /** The program's configuration (YAML). */
  readonly config: string;
}

/**
 * Renders the chart.
 *
 * @param options of `helm template`
 * @throws Error with helm's message where it refuses the values.
 */
export async function renderRelease(
  release: Account,
  options: readonly string[],
): Promise<Release> {
  const { namespace, name } = release;
  const said = await helm('template', name, CHART, '--namespace', namespace, ...options);
  const objects = objectsOf(said);
  const config = objects.find(({ kind }) => kind === 'ConfigMap');
  const [account] = objects.filter(({ kind }) => kind === 'ServiceAccount').map(refOf);
  if (config === undefined || account === undefined)
    throw new Error(`the chart renders no configuration or no account for ${name}`);
  return {
    access: accessAmong(objects),
    account,
    config: textAt(config, 'data', 'config.yaml'),
  };
}

/** The account of write-results. */
export const WRITER: Account = { namespace: 'starfold', name: 'starfold-writer' };

/** The objects of infra/rbac/writer.yaml. */
export async function writerObjects(): Promise<readonly JsonObject[]> {
  return objectsOf(await readFile('infra/rbac/writer.yaml', 'utf8'));
}

/** Applies what gives an account its rights, in a namespace that is made if need be. */
export async function grantAccess(
  cluster: Cluster,
  { account, access }: Pick<Release, 'account' | 'access'>,
): Promise<void> {
  await createNamespace(cluster, account.namespace);
  await applyObjects(cluster, access);
}

/** A kubeconfig (YAML) with one context, called as is asked, for an account of a cluster. */
export async function kubeconfigOfAccount(
  cluster: Cluster,
  { namespace, name }: Account,
  context: string,
): Promise<string> {
  const ref = { group: '', version: 'v1', resource: 'serviceaccounts', namespace, name };
  const apiVersion = 'authentication.k8s.io/v1';
  const answer = await requestOk(cluster, {
    method: 'POST',
    path: `${pathOf(ref)}/token`,
    body: { apiVersion, kind: 'TokenRequest', spec: {} },
  });
  const data = Buffer.from(cluster.caPem).toString('base64');
  const user = { token: textAt(answer, 'status', 'token') };
  const { server } = cluster;
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: context, cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name: context, user }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    'current-context': context,
  });
}

/** One verb of one resource. */
export interface Grant {
  readonly group: string;
  /** With its subresource: `deployments/status`. */
  readonly resource: string;
  readonly verb: string;
}

/** Each verb of each resource of a rule, as a rule of its own. */
function singleRules(rule: JsonValue): readonly (readonly [Grant, JsonObject])[] {
  const names = member(rule, 'resourceNames');
  const rest = names === undefined ? {} : { resourceNames: names };
  return texts(member(rule, 'apiGroups')).flatMap((group) =>
    texts(member(rule, 'resources')).flatMap((resource) =>
      texts(member(rule, 'verbs')).map(
        (verb) =>
          [
            { group, resource, verb },
            { apiGroups: [group], resources: [resource], verbs: [verb], ...rest },
          ] as const,
      ),
    ),
  );
}

function rulesOf({ kind, rules }: JsonObject) {
  const isRole = kind === 'Role' || kind === 'ClusterRole';
  return isRole && isArray(rules) ? rules.flatMap(singleRules) : [];
}

/** Everything that roles among these objects allow. */
export function grantsOf(access: readonly JsonObject[]): readonly Grant[] {
  return access.flatMap((object) => rulesOf(object).map(([grant]) => grant));
}

/** These objects, their roles without one verb of one resource. */
export function withoutGrant(
  access: readonly JsonObject[],
  { group, resource, verb }: Grant,
): readonly JsonObject[] {
  return access.map((object) => {
    const all = rulesOf(object);
    if (all.length === 0) return object;
    const kept = all.filter(
      ([one]) => one.group !== group || one.resource !== resource || one.verb !== verb,
    );
    return { ...object, rules: kept.map(([, rule]) => rule) };
  });
}

/** What an API server says where a grant is missing. */
export function refusalOf({ group, resource, verb }: Grant): string {
  return `cannot ${verb} resource "${resource}" in API group "${group}"`;
}
