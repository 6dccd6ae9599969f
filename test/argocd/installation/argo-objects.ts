import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { at, isObject, type JsonObject } from '#shared/core/json.ts';
import { type EnvtestConfig, restRequestOk } from '#tools/envtest.ts';

/** Argo CD's namespace. */
export const ARGOCD = 'argocd';

function object(kind: string, name: string, fields: JsonObject): JsonObject {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  return { apiVersion: 'v1', kind, metadata: { name, labels }, ...fields };
}

/** A cluster that Argo CD may deploy to. */
function clusterSecret(name: string, api: EnvtestConfig): JsonObject {
  const { caData, certData, keyData } = api;
  const config = JSON.stringify({ tlsClientConfig: { caData, certData, keyData } });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: { name, server: api.server, config },
  };
}

/** The ConfigMaps with which Argo CD is installed: without them, each change of a status is a reason to look again. */
async function defaults(assets: string): Promise<readonly JsonObject[]> {
  const folder = join(assets, 'manifests/base/config');
  const files = (await readdir(folder)).filter((name) => name.endsWith('-cm.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => parse(text)).filter(isObject);
}

/** What Argo CD's API server, which does not run here, makes when it first starts. */
const MADE_AT_FIRST: readonly JsonObject[] = [
  object('Secret', 'argocd-secret', {
    stringData: { 'server.secretkey': randomBytes(32).toString('base64') },
  }),
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  },
];

const COLLECTIONS: Readonly<Record<string, string>> = {
  ConfigMap: '/api/v1/namespaces/argocd/configmaps',
  Secret: '/api/v1/namespaces/argocd/secrets',
  AppProject: '/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects',
};

/**
 * Puts into a cluster with Argo CD's CRDs what its controllers read before there is an Application.
 *
 * @param assets the folder of build-argocd.sh
 * @param wecs other clusters that it may deploy to, by name
 */
export async function installArgoCd(
  api: EnvtestConfig,
  assets: string,
  wecs: Readonly<Record<string, EnvtestConfig>>,
): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGOCD } };
  await restRequestOk(api, 'POST', '/api/v1/namespaces', namespace);
  const secrets = Object.entries(wecs).map(([name, wec]) => clusterSecret(name, wec));
  for (const one of [...(await defaults(assets)), ...MADE_AT_FIRST, ...secrets])
    await restRequestOk(api, 'POST', COLLECTIONS[String(at(one, 'kind'))] ?? '', one);
}
