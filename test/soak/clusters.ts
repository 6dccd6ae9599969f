import { writeFile } from 'node:fs/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { startTcpProxy, type TcpProxy } from '#test/e2e/tcp-proxy.ts';

/** A simulated cluster, and the way that forwarder and stack reach it by. */
export interface SoakCluster {
  readonly name: string;
  readonly cluster: SimulatedCluster;
  readonly proxy: TcpProxy;
  /** Not by the proxy. */
  readonly api: ObjectApi & ResourceApi;
}

/** The clusters of a run. */
export interface SoakClusters {
  readonly wds: SoakCluster;
  readonly wecs: readonly SoakCluster[];
  close(): Promise<void>;
}

async function startCluster(name: string): Promise<SoakCluster> {
  const cluster = await startSimulatedCluster({ name });
  const proxy = await startTcpProxy(cluster.url);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(cluster.kubeconfig());
  const api = createKubernetesApi(kubeConfig, { requestTimeoutMs: 60_000, fieldManager: 'soak' });
  return { name, cluster, proxy, api };
}

function kubeconfigText(clusters: readonly SoakCluster[]): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: clusters.map(({ name, proxy }) => ({
      name,
      cluster: { server: proxy.server, 'insecure-skip-tls-verify': true },
    })),
    users: [{ name: 'soak', user: {} }],
    contexts: clusters.map(({ name }) => ({ name, context: { cluster: name, user: 'soak' } })),
  });
}

/**
 * Starts a WDS (`wds`) and WECs (`cluster1`, ...), empty, and writes a kubeconfig with a context of each.
 *
 * @param wecs how many
 */
export async function startSoakClusters(wecs: number, kubeconfig: string): Promise<SoakClusters> {
  const names = Array.from({ length: wecs }, (_name, index) => `cluster${index + 1}`);
  const started: SoakCluster[] = [];
  for (const name of ['wds', ...names]) started.push(await startCluster(name));
  const [wds, ...others] = started;
  if (wds === undefined) throw new Error('no WDS was started');
  await writeFile(kubeconfig, kubeconfigText(started));
  return {
    wds,
    wecs: others,
    close: async () => {
      for (const { cluster, proxy } of started) await Promise.all([cluster.close(), proxy.cut()]);
    },
  };
}
