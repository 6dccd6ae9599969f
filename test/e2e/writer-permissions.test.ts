import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { at, type JsonObject } from '#shared/core/json.ts';
import { apply, clusters, createNamespace, request, requestOk, setStatus } from './clusters.ts';
import { bind, clear, collect, controlRef, eventually, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { deployment } from './workloads.ts';

const namespace = 'writer-permissions';
const { wds, wec1, wec2, kubeconfigPath } = clusters();
const app = deployment({ namespace, name: 'app' });
const ACCOUNT = '/api/v1/namespaces/starfold/serviceaccounts/starfold-writer';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
let folder: string;
let stack: StackChild;

function pathOf({ apiVersion, kind, metadata }: JsonObject & { metadata: { namespace?: string } }) {
  const api = String(apiVersion).includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${api}${scope}/${String(kind).toLowerCase()}s`;
}

/** Creates each object of infra/rbac/writer.yaml, as `kubectl apply` would. */
async function applyWriterAccount(): Promise<void> {
  const text = await readFile('infra/rbac/writer.yaml', 'utf8');
  for (const document of parseAllDocuments(text)) {
    const body = document.toJS();
    const { status } = await request(wds, { method: 'POST', path: pathOf(body), body });
    // Already there: another run of this file on the same cluster.
    expect([201, 409]).toContain(status);
  }
}

/** What the forwarder of the WDS needs, which is not the writer's: it runs in the same process here. */
async function letItWatch(): Promise<void> {
  const name = 'writer-permissions-watch';
  const metadata = { name };
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', name: 'starfold-writer', namespace: 'starfold' }];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await requestOk(wds, {
    method: 'POST',
    path: `${RBAC}/clusterroles`,
    body: { apiVersion, kind: 'ClusterRole', metadata, rules },
  });
  await requestOk(wds, {
    method: 'POST',
    path: `${RBAC}/clusterrolebindings`,
    body: { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  });
}

/** The kubeconfig of the run, in which the WDS is spoken to with the token of the writer's account. */
async function writerKubeconfig(): Promise<string> {
  const { status } = await requestOk(wds, {
    method: 'POST',
    path: `${ACCOUNT}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const config = parse(await readFile(kubeconfigPath, 'utf8'));
  config.users.push({ name: 'starfold-writer', user: { token: at(status, 'token') } });
  for (const { name, context } of config.contexts)
    if (name === 'wds') context.user = 'starfold-writer';
  const file = join(folder, 'kubeconfig');
  await writeFile(file, stringify(config));
  return file;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'starfold-writer-'));
  for (const cluster of [wds, wec1, wec2]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, app.ref, app.object);
  }
  await applyWriterAccount();
  await letItWatch();
  stack = await startStackChild({ kubeconfigPath: await writerKubeconfig() });
});

afterAll(async () => {
  await clear(wds, [controlRef('bindings', 'writer-permissions'), app.ref]);
  await clear(wds, [controlRef('statuscollectors', 'writer-permissions')]);
  for (const resource of ['clusterroles', 'clusterrolebindings'])
    await request(wds, { method: 'DELETE', path: `${RBAC}/${resource}/writer-permissions-watch` });
  await stack.dispose();
  await rm(folder, { recursive: true });
});

describe('the account of infra/rbac/writer.yaml', () => {
  it('may write everything that Starfold owns: status, labels, CombinedStatuses, conditions', async () => {
    await collect('writer-permissions', {
      combinedFields: [{ name: 'wecs', type: 'COUNT' }],
      limit: 10,
    });
    const modulation = {
      wantMultiWECReportedState: true,
      statusCollectors: ['writer-permissions'],
    };
    await bind({
      name: 'writer-permissions',
      destinations: ['wec1', 'wec2'],
      objects: [[app.ref, modulation]],
    });
    for (const cluster of [wec1, wec2])
      await setStatus(cluster, app.ref, rolledOut(1, 3, minute(1)));
    await eventually(inWds(app.ref, 'status', 'readyReplicas'), 3);
    await eventually(async () => (await combinedStatuses()).length, 1);
    expect(stack.log()).not.toContain('forbidden');
  });

  it('may take it back', async () => {
    await clear(wds, [controlRef('bindings', 'writer-permissions')]);
    await eventually(inWds(app.ref, 'status'), {});
    await eventually(async () => (await combinedStatuses()).length, 0);
    expect(stack.log()).not.toContain('forbidden');
  });
});

async function combinedStatuses(): Promise<readonly unknown[]> {
  const path = `/apis/control.kubestellar.io/v1alpha1/namespaces/${namespace}/combinedstatuses`;
  const { items } = await requestOk(wds, { method: 'GET', path });
  return items as readonly unknown[]; // A list, as the API server answers it.
}
