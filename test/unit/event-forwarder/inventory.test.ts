import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  EMPTY_HUB,
  largeInventory,
  largeManagedCluster,
} from '#functions/event-forwarder/messages.ts';
import { MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { anObject, ForwarderBench } from './forwarder-bench.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const HOUR_MS = 3_600_000;

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  bench.serve(MANAGED_CLUSTERS, DEPLOYMENTS);
});
afterEach(() => bench.stop());

function put(name: string, labels: JsonObject, more: JsonObject = {}): void {
  const metadata = { name, uid: `uid-${name}`, labels };
  bench.cluster.put(MANAGED_CLUSTERS, { ...anObject(name, more, ''), metadata });
}

/** What was sent about inventories since the last call: the WEC, the origin and the region. */
async function said(ms = 1000): Promise<readonly string[]> {
  await bench.time.advance(ms);
  const events = bench.queue.events();
  bench.queue.bodies.length = 0;
  return events.flatMap(({ source, content }: ForwarderEvent) =>
    content.type === 'inventory'
      ? [`${source.type}/${source.name} ${content.hub} ${content.inventory?.labels['region']}`]
      : content.type === 'hub-snapshot'
        ? [`${source.name} was listed`]
        : [],
  );
}

describe.each(['inventory', 'its'] as const)('a forwarder of a hub (%s)', (type) => {
  it('reports the labels of each ManagedCluster when they change, and at each resync', async () => {
    put('edge-1', { region: 'eu' });
    bench.start({ type, name: 'hub' });
    expect(await said()).toEqual(['wec/edge-1 hub eu', 'hub was listed']);
    put('edge-1', { region: 'eu' }, { status: { version: '2' } });
    put('edge-2', { region: 'us' });
    expect(await said()).toEqual(['wec/edge-2 hub us']);
    put('edge-1', { region: 'ap' });
    expect(await said()).toEqual(['wec/edge-1 hub ap']);
    expect((await said(10 * HOUR_MS)).toSorted()).toEqual([
      'hub was listed',
      'wec/edge-1 hub ap',
      'wec/edge-2 hub us',
    ]);
  });

  it('reports that a ManagedCluster is gone', async () => {
    put('edge-1', { region: 'eu' });
    bench.start({ type, name: 'hub' });
    await said();
    bench.cluster.remove(MANAGED_CLUSTERS, '/edge-1');
    expect(await said()).toEqual(['wec/edge-1 hub undefined']);
  });

  it('names a ManagedCluster whose labels and annotations are too large, and sends the rest', async () => {
    put('edge-1', { region: 'eu', zone: 'x'.repeat(9_000) });
    bench.start({ type, name: 'hub' });
    expect(await said()).toEqual(['wec/edge-1 hub eu', 'hub was listed']);
    expect(bench.state.problems).toEqual([largeManagedCluster('edge-1', 1, 'zone')]);
    put('edge-1', { region: 'eu' });
    await said();
    expect(bench.state.problems).toEqual([]);
  });
});

it('a forwarder of a hub for WECs with forwarders sends no heartbeat and no end of a snapshot of a WEC', async () => {
  put('edge-1', { region: 'eu' });
  bench.start({ type: 'inventory', name: 'hub' });
  expect(await bench.sent(10 * 60_000)).toEqual(['edge-1 inventory', 'hub hub-snapshot']);
});

describe('a hub without ManagedClusters', () => {
  const problem = EMPTY_HUB;

  it('is a problem until it has one, and again when it has none', async () => {
    bench.start({ type: 'inventory', name: 'hub' });
    expect(bench.state.problems).toEqual([]);
    await said();
    expect(bench.state.problems).toEqual([problem]);
    put('edge-1', { region: 'eu' });
    await said();
    expect(bench.state.problems).toEqual([]);
    bench.cluster.remove(MANAGED_CLUSTERS, '/edge-1');
    await said();
    expect(bench.state.problems).toEqual([problem]);
  });

  it('is a problem if it does not know them', async () => {
    bench.serve(DEPLOYMENTS);
    bench.start({ type: 'inventory', name: 'hub' });
    await said();
    expect(bench.state.problems).toEqual([problem]);
  });

  it('is none if nobody has named it', async () => {
    bench.start({ type: 'inventory', name: 'hub', mayBeEmpty: true });
    await said();
    expect(bench.state.problems).toEqual([]);
  });
});

describe('a forwarder of a WEC', () => {
  const wec = { type: 'wec', name: 'edge-1', wds: 'wds1', resources: [DEPLOYMENTS] } as const;
  const inventory = { labels: { region: 'eu' }, annotations: {} };

  it('reports the labels that it was given at its start and at each resync, before the end of the snapshot', async () => {
    bench.start({ ...wec, inventory });
    expect(await bench.said()).toEqual(['edge-1 inventory', 'edge-1 snapshot']);
    expect(await bench.said(10 * HOUR_MS)).toEqual(['edge-1 inventory', 'edge-1 snapshot']);
  });

  it('reports none if it was given none, and does not start with too many', async () => {
    bench.start(wec);
    expect(await bench.said()).toEqual(['edge-1 snapshot']);
    const annotations = { note: 'x'.repeat(9_000) };
    expect(() => bench.start({ ...wec, inventory: { ...inventory, annotations } })).toThrow(
      largeInventory('edge-1'),
    );
  });
});
