import { readFile, writeFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { at, type JsonObject } from '#shared/core/json.ts';
import { applyObjects, kubeconfigOfAccount, WRITER, writerObjects } from '#test/e2e/accounts.ts';
import { type Cluster, clusters, createNamespace } from '#test/e2e/clusters.ts';
import { kubeconfigOf } from '#test/e2e/global-setup.ts';
import { objectsOf } from '#test/e2e/helm.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** What the forwarder of the WDS needs, which is not the writer's: it runs in the same process. */
function watchEverything(): readonly JsonObject[] {
  const name = 'starfold-watch';
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['list', 'watch'] }];
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', ...WRITER }];
  const metadata = { name };
  const apiVersion = `${RBAC}/v1`;
  return [
    { apiVersion, kind: 'ClusterRole', metadata, rules },
    { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  ];
}

/** The objects of a file of infra/rbac. */
export async function rbacObjects(name: string): Promise<readonly JsonObject[]> {
  return objectsOf(await readFile(`infra/rbac/${name}.yaml`, 'utf8'));
}

/**
 * Makes Starfold's account in a WDS, with the roles of infra/rbac, and writes a kubeconfig in which it has the context `wds`. The
 * contexts of the WECs are those of the run.
 */
export async function writeAccountKubeconfig(wds: Cluster, file: string): Promise<void> {
  await createNamespace(wds, WRITER.namespace);
  const roles = [...(await writerObjects()), ...(await rbacObjects('status-api'))];
  // The Namespace is there, and the Secret is for a token that a controller would write.
  const accounts = roles.filter(({ kind }) => kind !== 'Namespace' && kind !== 'Secret');
  await applyObjects(wds, [...accounts, ...watchEverything()]);
  const { wec1, wec2 } = clusters();
  const config = parse(kubeconfigOf([wds, wec1, wec2]));
  const account = parse(await kubeconfigOfAccount(wds, WRITER, 'wds'));
  config.users = [
    ...account.users,
    ...config.users.filter((one: unknown) => at(one as JsonObject, 'name') !== 'wds'),
  ];
  await writeFile(file, stringify(config), { mode: 0o600 });
}
