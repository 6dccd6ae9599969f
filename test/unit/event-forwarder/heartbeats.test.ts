import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiForbiddenError, ApiUnavailableError } from '#shared/errors.ts';
import { anObject, ForwarderBench } from './forwarder-bench.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const WORK_STATUSES = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'workstatuses',
};
const MANAGED_CLUSTERS = {
  group: 'cluster.open-cluster-management.io',
  version: 'v1',
  resource: 'managedclusters',
};
const ITS = { type: 'its', name: 'its1', wds: 'wds1' } as const;

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  bench.serve(DEPLOYMENTS, WORK_STATUSES, MANAGED_CLUSTERS);
});

afterEach(async () => {
  await bench.stop();
});

function putCluster(name: string, status: 'True' | 'False' | 'Unknown'): void {
  const conditions = [{ type: 'ManagedClusterConditionAvailable', status }];
  bench.cluster.put(MANAGED_CLUSTERS, anObject(name, { status: { conditions } }, ''));
}

function putWorkStatus(wec: string, name: string): void {
  const sourceRef = { group: 'apps', resource: 'deployments', namespace: 'shop', name };
  bench.cluster.put(WORK_STATUSES, anObject(name, { spec: { sourceRef }, status: {} }, wec));
}

async function beats(ms: number): Promise<readonly string[]> {
  return (await bench.sent(ms)).filter((text) => text.endsWith(' heartbeat'));
}

describe('heartbeats of a forwarder of an ITS', () => {
  it('come for each WEC that its ManagedCluster calls available, and for no other', async () => {
    putCluster('edge-1', 'True');
    putCluster('edge-2', 'Unknown');
    putCluster('edge-3', 'False');
    putWorkStatus('edge-2', 'web');
    putWorkStatus('edge-4', 'web');
    bench.start(ITS);
    await bench.sent();
    expect(await beats(60_000)).toEqual(['edge-1 heartbeat', 'edge-1 heartbeat']);
  });

  it('come at once when a WEC becomes available, and stop when it does not answer the hub', async () => {
    putCluster('edge-1', 'Unknown');
    bench.start(ITS);
    await bench.sent();
    putCluster('edge-1', 'True');
    expect(await beats(1000)).toEqual(['edge-1 heartbeat']);
    putCluster('edge-1', 'True');
    expect(await beats(1000)).toEqual([]);
    putCluster('edge-1', 'Unknown');
    expect(await beats(120_000)).toEqual([]);
    putCluster('edge-1', 'True');
    expect(await beats(1000)).toEqual(['edge-1 heartbeat']);
    bench.cluster.remove(MANAGED_CLUSTERS, '/edge-1');
    expect(await beats(120_000)).toEqual([]);
  });

  it('come for every WEC with a WorkStatus if the hub has no ManagedClusters', async () => {
    bench.cluster.unserve(MANAGED_CLUSTERS);
    putWorkStatus('edge-1', 'web');
    bench.start(ITS);
    await bench.sent();
    expect(await beats(30_000)).toEqual(['edge-1 heartbeat']);
  });

  it('end with the last WorkStatus of a WEC if the hub has no ManagedClusters', async () => {
    bench.cluster.unserve(MANAGED_CLUSTERS);
    putWorkStatus('edge-1', 'web');
    putWorkStatus('edge-1', 'api');
    putWorkStatus('edge-2', 'web');
    bench.start(ITS);
    await bench.sent();
    bench.cluster.remove(WORK_STATUSES, 'edge-1/web');
    expect(await beats(30_000)).toEqual(['edge-1 heartbeat', 'edge-2 heartbeat']);
    bench.cluster.remove(WORK_STATUSES, 'edge-1/api');
    expect(await beats(30_000)).toEqual(['edge-2 heartbeat']);
    putWorkStatus('edge-1', 'web');
    expect(await beats(30_000)).toEqual(['edge-2 heartbeat', 'edge-1 heartbeat']);
  });

  it('come for none if the ManagedClusters may not be read', async () => {
    bench.cluster.refuse(MANAGED_CLUSTERS, new ApiForbiddenError('list', 'RBAC'));
    putWorkStatus('edge-1', 'web');
    bench.start(ITS);
    expect(await beats(10 * 60_000)).toEqual([]);
  });

  it('report nothing while the hub does not answer', async () => {
    putCluster('edge-1', 'True');
    bench.start(ITS);
    await bench.sent();
    bench.cluster.failure = new ApiUnavailableError('any', 'refused');
    bench.cluster.disconnect(bench.cluster.failure);
    expect(await beats(10 * 60_000)).toEqual([]);
    bench.cluster.failure = undefined;
    expect(await beats(31_000)).toContain('edge-1 heartbeat');
  });
});

describe('a WEC without WorkStatuses', () => {
  it.each(['True', 'Unknown'] as const)(
    'is said to have nothing, if its ManagedCluster is there (available: %s)',
    async (status) => {
      putCluster('edge-1', status);
      bench.start(ITS);
      const own = ['edge-1 inventory', 'edge-1 snapshot'];
      expect(await bench.said()).toEqual([...own, 'its1 hub-snapshot']);
      putCluster('edge-2', status);
      expect(await bench.said()).toEqual(['edge-2 inventory', 'edge-2 snapshot']);
    },
  );
});

it('a WEC whose forwarder sees nothing of it is not said to live', async () => {
  bench.cluster.refuse(DEPLOYMENTS, new ApiForbiddenError('list', 'RBAC'));
  bench.start({ type: 'wec', name: 'edge-1', wds: 'wds1', resources: [DEPLOYMENTS] });
  expect(await bench.sent(10 * 60_000)).toEqual([]);
  bench.cluster.refuse(DEPLOYMENTS, undefined);
  expect(await bench.sent(60_000)).toEqual(
    expect.arrayContaining(['edge-1 snapshot', 'edge-1 heartbeat']),
  );
});

it('come from no forwarder that is blind to what its configuration names, although it sees the rest', async () => {
  const services = { group: '', version: 'v1', resource: 'services' };
  bench.serve(services);
  bench.start({ type: 'wec', name: 'edge-1', wds: 'wds1', resources: [DEPLOYMENTS, services] });
  await bench.sent();
  expect(await beats(60_000)).toHaveLength(2);
  bench.cluster.refuse(DEPLOYMENTS, new ApiUnavailableError('list', 'down'));
  bench.cluster.disconnect(new ApiUnavailableError('watch', 'down'), DEPLOYMENTS);
  expect(await beats(10 * 60_000)).toEqual([]);
  bench.cluster.refuse(DEPLOYMENTS, undefined);
  await bench.sent(30_000);
  expect((await beats(60_000)).length).toBeGreaterThan(0);
});

it('an ITS reports nothing again when one of two WorkStatuses of an object goes', async () => {
  for (let n = 0; n < 50; n += 1) putWorkStatus('edge-1', `web${n}`);
  const sourceRef = { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web7' };
  const other = anObject('zz-web7', { spec: { sourceRef }, status: { replicas: 3 } }, 'edge-1');
  bench.cluster.put(WORK_STATUSES, other);
  bench.start(ITS);
  expect((await bench.said()).filter((text) => text.endsWith('!'))).toHaveLength(50);
  bench.cluster.remove(WORK_STATUSES, 'edge-1/zz-web7');
  expect(await bench.said(60_000)).toEqual(['edge-1 deployments/web7']);
});
