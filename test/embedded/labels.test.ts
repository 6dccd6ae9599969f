import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startStack } from '#local/stack/stack.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { BINDING, DEPLOYMENT, running, WEB } from './objects.ts';

const CRD = new URL('../fixtures/managedclusters.yaml', import.meta.url);
const COMBINED = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'combinedstatuses',
};
const REGION = 'has(inventory.labels.region) ? inventory.labels.region : "none"';

function managedCluster(name: string, labels: JsonObject): JsonObject {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name, labels, uid: `uid-${name}` },
    spec: {},
  };
}

const COLLECTOR: JsonObject = {
  apiVersion: 'control.kubestellar.io/v1alpha1',
  kind: 'StatusCollector',
  metadata: { name: 'region', uid: 'collector-1' },
  spec: { select: [{ name: 'region', def: REGION }], limit: 10 },
};

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** The region of each WEC, as the CombinedStatus of a WDS shows it. */
async function regions(wds: Cluster): Promise<readonly unknown[]> {
  const { items } = await wds.api.list(COMBINED, {});
  return items
    .flatMap((combined) => listOf(member(combined, 'results')))
    .flatMap((result) => listOf(member(result, 'rows')))
    .flatMap((row) => listOf(member(row, 'columns')))
    .map((column) => member(column, 'string'));
}

test('StatusCollectors read the labels of the WECs that an inventory has, where another component writes the Bindings', async () => {
  const clusters = await Promise.all(['wds', 'edge1', 'edge2', 'its'].map(Cluster.start));
  const [wds, edge1, edge2, its] = clusters as [Cluster, Cluster, Cluster, Cluster];
  const spec = {
    destinations: [{ clusterId: 'edge1' }, { clusterId: 'edge2' }],
    workload: {
      namespaceScope: [{ ...WEB, version: 'v1', statusCollectors: ['region'] }],
    },
  };
  for (const object of [DEPLOYMENT, COLLECTOR, { ...BINDING, spec }]) wds.simulated.apply(object);
  for (const edge of [edge1, edge2]) edge.simulated.apply(running(2));
  its.simulated.apply(parse(readFileSync(CRD, 'utf8')));
  its.simulated.apply(managedCluster('edge1', { region: 'eu' }));
  const folder = mkdtempSync(join(tmpdir(), 'starfold-labels-'));
  const of = ({ name, stackApi }: Cluster) => ({ name, api: stackApi });
  const start = (inventory?: StackCluster) =>
    startStack({
      file: join(folder, 'state.sqlite'),
      wds: of(wds),
      wecs: [edge1, edge2].map(of),
      ...(inventory === undefined ? {} : { inventory }),
      silence: { sweepMs: 100 },
      observability: createObservedOutput().observability,
      writer: { identity: 'labels', runsAs: 'a test' },
    });
  let stack = await start(of(its));
  try {
    const shows = (wanted: readonly string[]) =>
      expect.poll(() => regions(wds), { timeout: 20_000 }).toEqual(wanted);
    await shows(['eu', 'none']);
    its.simulated.apply(managedCluster('edge2', { region: 'us' }));
    await shows(['eu', 'us']);
    its.simulated.delete(managedCluster('edge1', {}));
    await shows(['none', 'us']);
    await stack.stop();
    its.simulated.apply(managedCluster('edge2', { region: 'ap' }));
    // The same hub under a later name, by which it would not be the first.
    stack = await start({ ...of(its), name: 'zits' });
    await shows(['none', 'ap']);
    await stack.stop();
    stack = await start();
    await shows(['none', 'none']);
  } finally {
    await stack.stop();
    await Promise.all(clusters.map(({ simulated }) => simulated.close()));
    rmSync(folder, { recursive: true });
  }
});
