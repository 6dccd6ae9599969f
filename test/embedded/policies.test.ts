import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { GONE } from '#local/start/display-messages.ts';
import { FOLLOW_POLICIES, waitsFor } from '#local/start/messages.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { deadPort, writeKubeconfig } from './kubeconfig-file.ts';
import { DEPLOYMENT, running } from './objects.ts';
import { workbench } from './start-process.ts';

const CRD = new URL('../fixtures/managedclusters.yaml', import.meta.url);

function policy(clusterSelectors: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: 'web', uid: 'policy-1', generation: 1 },
    spec: {
      clusterSelectors: [...clusterSelectors],
      downsync: [{ apiGroup: 'apps', resources: ['deployments'], wantMultiWECReportedState: true }],
    },
  };
}

function managedCluster(name: string, labels: JsonObject): JsonObject {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels, uid: `uid-${name}` },
    spec: {},
  };
}

/** A WDS with a Deployment and two WECs that run it; 2 of its pods are available in edge1, 1 in edge2. */
async function startClusters(): Promise<readonly SimulatedCluster[]> {
  const objects = { wds: DEPLOYMENT, edge1: running(2), edge2: running(1) };
  return Promise.all(
    Object.entries(objects).map(async ([name, object]) => {
      const cluster = await startSimulatedCluster({ name });
      cluster.apply(object);
      return cluster;
    }),
  );
}

test('Bindings wait for an inventory that is down, and follow the policies when it comes up', async () => {
  await using bench = workbench();
  const clusters = [...(await startClusters())];
  const [wds] = clusters;
  wds?.apply(policy([{ matchLabels: { tier: 'edge' } }]));
  const port = await deadPort();
  const urls = Object.fromEntries(clusters.map(({ name, url }) => [name, url]));
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), {
    ...urls,
    its: `http://127.0.0.1:${port}`,
  });
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', file, '--wds', 'wds'],
    ...['--wec', 'edge1', '--wec', 'edge2', '--resolve-bindings', '--inventory', 'its'],
  );
  try {
    await run.line(
      new RegExp(` Bindings: ${waitsFor('managedclusters.cluster.*: API server unavailable')}`),
    );
    const its = await startSimulatedCluster({ name: 'its', port });
    clusters.push(its);
    await run.line(new RegExp(` Bindings: ${waitsFor('managedclusters.cluster.*: not served')}`));
    const crd: JsonObject = parse(readFileSync(CRD, 'utf8'));
    its.apply(crd);
    its.apply(managedCluster('edge1', { tier: 'edge' }));
    its.apply(managedCluster('edge2', {}));
    await run.line(` Bindings: ${FOLLOW_POLICIES}`);
    await run.line(/ wds deployments.apps shop\/web: ready 2\/2/);
    const before = run.count();
    its.apply(managedCluster('edge2', { tier: 'edge' }));
    await run.line(/ wds deployments.apps shop\/web: ready 1\/2/, before);
    wds?.delete(policy([]));
    await run.line(` wds deployments.apps shop/web: ${GONE}`, before);
    run.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.stderr()).toBe('');
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.close()));
  }
});

test('without ManagedClusters Bindings name the WECs of the command line', async () => {
  await using bench = workbench();
  const clusters = await startClusters();
  clusters[0]?.apply(policy([{}]));
  const urls = Object.fromEntries(clusters.map(({ name, url }) => [name, url]));
  const file = writeKubeconfig(bench.file('kubeconfig.yaml'), urls);
  const run = bench.start(
    ...['--state', bench.file('state.sqlite'), '--kubeconfig', file, '--wds', 'wds'],
    ...['--wec', 'edge1', '--wec', 'edge2', '--resolve-bindings'],
  );
  try {
    await run.line(` Bindings: ${FOLLOW_POLICIES}`);
    await run.line(/ wds deployments.apps shop\/web: ready 1\/2/);
    run.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  } finally {
    await Promise.all(clusters.map((cluster) => cluster.close()));
  }
});
