import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { stringify } from 'yaml';
import { type EnvtestConfig, TestEnvironment } from '#tools/envtest.ts';
import { assetFolder } from './assets.ts';
import type { Cluster, ClusterName, Clusters } from './clusters.ts';

const repository = join(import.meta.dirname, '..', '..');

/** The folder with kube-apiserver, etcd and kubectl; builds them where KUBEBUILDER_ASSETS names none. */
function findBinaries(): Promise<string> {
  return assetFolder({
    script: 'build-kube.sh',
    without: 'kube-apiserver, etcd and kubectl: set KUBEBUILDER_ASSETS to a folder with them',
  });
}

function handleOf(name: ClusterName, config: EnvtestConfig): Cluster {
  const { server, caPem, certPem, keyPem, etcdURL } = config;
  if (etcdURL === undefined) throw new Error(`${name} is not a cluster of this run`);
  return { name, server, caPem, certPem, keyPem, etcdUrl: etcdURL };
}

/** A kubeconfig with a context, a cluster and a user of the same name for each cluster; the WDS's is the current one. */
export function kubeconfigOf(
  clusters: readonly (Omit<Cluster, 'name'> & { readonly name: string })[],
): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: clusters.map(({ name, server, caPem }) => ({
      name,
      cluster: { server, 'certificate-authority-data': base64(caPem) },
    })),
    users: clusters.map(({ name, certPem, keyPem }) => ({
      name,
      user: { 'client-certificate-data': base64(certPem), 'client-key-data': base64(keyPem) },
    })),
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    'current-context': 'wds',
  });
}

async function startAll(binaries: string, environments: readonly TestEnvironment[]) {
  const started = await Promise.allSettled(environments.map((environment) => environment.start()));
  const failed = started.find((result) => result.status === 'rejected');
  if (failed === undefined) return;
  await stopAll(environments);
  throw new Error(`the API servers of ${binaries} do not start`, { cause: failed.reason });
}

async function stopAll(environments: readonly TestEnvironment[]): Promise<void> {
  await Promise.all(environments.map((environment) => environment.stop()));
}

/**
 * Starts three real API servers (a WDS with Starfold's CRDs, two WECs), each with its etcd, and provides them to the
 * tests as `clusters`. Returns what stops them.
 *
 * @throws Error when the binaries cannot be had or a server does not start: the suite fails, it never skips.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const binaries = await findBinaries();
  const options = { binaryAssetsDirectory: binaries, useExistingCluster: false };
  const crds = join(repository, 'infra/crds');
  const wds = new TestEnvironment({ ...options, crdDirectoryPaths: [crds] });
  const wec1 = new TestEnvironment(options);
  const wec2 = new TestEnvironment(options);
  await startAll(binaries, [wds, wec1, wec2]);

  const folder = await mkdtemp(join(tmpdir(), 'starfold-e2e-'));
  const clusters: Clusters = {
    kubeconfigPath: join(folder, 'kubeconfig'),
    kubectlPath: join(binaries, 'kubectl'),
    wds: handleOf('wds', wds.config),
    wec1: handleOf('wec1', wec1.config),
    wec2: handleOf('wec2', wec2.config),
  };
  const kubeconfig = kubeconfigOf([clusters.wds, clusters.wec1, clusters.wec2]);
  await writeFile(clusters.kubeconfigPath, kubeconfig, { mode: 0o600 });
  project.provide('clusters', clusters);

  return async () => {
    await stopAll([wds, wec1, wec2]);
    await rm(folder, { recursive: true, force: true });
  };
}
