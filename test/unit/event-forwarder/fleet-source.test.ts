import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetContent } from '#shared/core/fleet/fleet-content.ts';
import type { FleetResource } from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiForbiddenError } from '#shared/errors.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { fleetOwnedHash } from '#shared/state/owned-hashes.ts';
import {
  bundle,
  bundleDeployment,
  cluster,
  clusterGroup,
  gitJob,
  gitRepo,
  helmOp,
} from '#test/unit/fleet/fixtures/objects.ts';
import { condition } from '#test/unit/fleet/fixtures/parts.ts';
import { ForwarderBench } from './forwarder-bench.ts';

function fleet(resource: FleetResource): Resource {
  return { group: 'fleet.cattle.io', version: 'v1alpha1', resource };
}

const JOBS = { group: 'batch', version: 'v1', resource: 'jobs' };
const HELM_OPS = fleet('helmops');
const FORBIDDEN = new ApiForbiddenError('list', 'RBAC');
const MINUTES = 60_000;

const OBJECTS: readonly (readonly [FleetResource, JsonObject, ownedHash: boolean])[] = [
  ['bundles', bundle(), true],
  ['bundledeployments', bundleDeployment(), false],
  ['clusters', cluster(), true],
  ['clustergroups', clusterGroup(), true],
  ['gitrepos', gitRepo(), true],
  ['helmops', helmOp(), true],
  ['jobs', gitJob(), false],
];

function resourceOf(resource: FleetResource): Resource {
  return resource === 'jobs' ? JOBS : fleet(resource);
}

const ALL = [
  'upstream1 bundledeployments/shop!',
  'upstream1 bundles/shop!',
  'upstream1 clustergroups/production!',
  'upstream1 clusters/c1!',
  'upstream1 gitrepos/shop!',
  'upstream1 helmops/cache!',
  'upstream1 jobs/shop-1a2b3!',
];

function without(...resources: readonly string[]): readonly string[] {
  return ALL.filter((text) => !resources.some((name) => text.includes(` ${name}/`)));
}

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  for (const [resource, object] of OBJECTS) {
    bench.serve(resourceOf(resource));
    bench.cluster.put(resourceOf(resource), object);
  }
});

afterEach(async () => {
  await bench.stop();
});

function start(config = {}): void {
  bench.start({ type: 'fleet', name: 'upstream1' }, { config });
}

/** What is said, with the objects in an order that does not depend on which listing ends first. */
async function said(ms = 1000): Promise<readonly string[]> {
  const texts = await bench.said(ms);
  const snapshots = texts.filter((text) => text.endsWith(' snapshot'));
  return [...texts.filter((text) => !snapshots.includes(text)).sort(), ...snapshots];
}

describe('a forwarder of a management cluster of Fleet', () => {
  it('reports every object, and then the end of the listing', async () => {
    start();
    expect(await said()).toEqual([...ALL, 'upstream1 snapshot']);
    expect(bench.followed()).toEqual([
      'bundledeployments.fleet.cattle.io/v1alpha1',
      'bundles.fleet.cattle.io/v1alpha1',
      'clustergroups.fleet.cattle.io/v1alpha1',
      'clusters.fleet.cattle.io/v1alpha1',
      'gitrepos.fleet.cattle.io/v1alpha1',
      'helmops.fleet.cattle.io/v1alpha1',
      'jobs.batch/v1',
    ]);
  });

  it('reports the parts of an object that statuses depend on, and a hash of a status that is written', async () => {
    start();
    await bench.time.advance(1000);
    const told = bench.queue.events().map(({ content }) => content);
    for (const [resource, object, isWritten] of OBJECTS) {
      const stored = [...bench.cluster.objects(resourceOf(resource)).values()][0] ?? {};
      const metadata = object['metadata'] as JsonObject; // The fixtures have it.
      const { group } = resourceOf(resource);
      expect(told).toContainEqual({
        type: 'fleet-object',
        subject: { group, resource, namespace: metadata['namespace'], name: metadata['name'] },
        first: true,
        object: fleetContent(resource, stored),
        ...(isWritten ? { ownedHash: fleetOwnedHash(stored) } : {}),
      });
    }
  });

  it('sends events that whoever receives them can read, every one', async () => {
    start();
    await bench.time.advance(1000);
    const decoded = bench.queue.bodies.map((body) => decodeBatch(body));
    expect(decoded.flatMap(({ errors }) => errors)).toEqual([]);
    expect(decoded.flatMap(({ events }) => events).length).toBeGreaterThan(ALL.length);
  });

  it('reads Bundles in small pages, as each has all its manifests in it', async () => {
    const pages: [string, number | undefined][] = [];
    const list = bench.cluster.list.bind(bench.cluster);
    bench.cluster.list = (resource, selection) => {
      pages.push([resource.resource, selection.pageSize]);
      return list(resource, selection);
    };
    start();
    await said();
    expect(pages.filter(([, size]) => size !== undefined)).toEqual([['bundles', 50]]);
  });

  it('says that it is alive as long as it sees the cluster', async () => {
    start({ heartbeatMs: MINUTES });
    expect(await bench.sent(3 * MINUTES)).toContain('upstream1 heartbeat');
    bench.cluster.refuse(fleet('bundles'), FORBIDDEN);
    await bench.sent();
    expect(await bench.sent(3 * MINUTES)).toEqual([]);
  });
});

describe('a change of an object of Fleet', () => {
  beforeEach(async () => {
    start({ resyncMs: 60 * MINUTES });
    await said();
  });

  it.each<[what: string, resource: FleetResource, object: JsonObject]>([
    ['that statuses follow from', 'bundledeployments', bundleDeployment({ labels: { new: '1' } })],
    ['of its own status', 'clusters', cluster({ status: { display: { readyBundles: '1/1' } } })],
    ['of its generation alone', 'gitrepos', gitRepo({ metadata: { generation: 2 } })],
  ])('%s is reported', async (_what, resource, object) => {
    bench.cluster.put(fleet(resource), object);
    const metadata = object['metadata'] as JsonObject;
    expect(await said()).toEqual([`upstream1 ${resource}/${String(metadata['name'])}`]);
  });

  it.each<[what: string, resource: FleetResource, object: JsonObject]>([
    ['that nothing follows from', 'bundles', bundle({ metadata: { annotations: { a: 'b' } } })],
    [
      'of the time of a condition',
      'gitrepos',
      gitRepo({
        status: {
          conditions: [
            condition('GitPolling', 'True', { lastUpdateTime: '2026-11-21T11:00:00Z' }),
            condition('Accepted', 'True'),
          ],
        },
      }),
    ],
    [
      'of the status of a Job beyond what it has come to',
      'jobs',
      gitJob({ status: { uncountedTerminatedPods: {} } }),
    ],
    [
      'of how a BundleDeployment is to be deployed',
      'bundledeployments',
      bundleDeployment({ spec: { options: { defaultNamespace: 'other' } } }),
    ],
  ])('%s is not reported', async (_what, resource, object) => {
    bench.cluster.put(resourceOf(resource), object);
    expect(await said()).toEqual([]);
  });

  it('is reported as deleted if it is gone', async () => {
    bench.cluster.remove(fleet('bundles'), 'fleet-default/shop');
    expect(await said()).toEqual(['upstream1 bundles/shop-']);
  });

  it('that went unseen is reported with everything else that exists: what was written may have been lost', async () => {
    expect(await said(61 * MINUTES)).toEqual([...ALL, 'upstream1 snapshot']);
    bench.cluster.compact();
    bench.cluster.disconnect(undefined, fleet('clusters'));
    expect(await said(MINUTES)).toEqual([]);
    bench.cluster.put(fleet('bundles'), bundle({ name: 'other' }));
    bench.cluster.compact();
    bench.cluster.disconnect(undefined, fleet('clusters'));
    expect(await said(MINUTES)).toEqual(['upstream1 bundles/other!', 'upstream1 clusters/c1!']);
  });
});

describe('a Job', () => {
  it('that no GitRepo owns is not reported', async () => {
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'backup' }];
    bench.cluster.put(JOBS, gitJob({ name: 'backup-1', metadata: { ownerReferences } }));
    bench.cluster.put(JOBS, gitJob({ name: 'alone', metadata: { ownerReferences: [] } }));
    start();
    expect(await said()).toEqual([...ALL, 'upstream1 snapshot']);
  });

  it('that a GitRepo owns no longer is gone, and is there when one owns it again', async () => {
    start();
    await said();
    bench.cluster.put(JOBS, gitJob({ metadata: { ownerReferences: [] } }));
    expect(await said()).toEqual(['upstream1 jobs/shop-1a2b3-']);
    bench.cluster.put(JOBS, gitJob());
    expect(await said()).toEqual(['upstream1 jobs/shop-1a2b3!']);
  });
});

describe('what a management cluster does not let be seen', () => {
  it('of Jobs and HelmOps delays the first snapshot for no more than a minute or two', async () => {
    for (const resource of [JOBS, HELM_OPS]) bench.cluster.refuse(resource, FORBIDDEN);
    start();
    expect(await said(2 * MINUTES)).toEqual([...without('jobs', 'helmops'), 'upstream1 snapshot']);
    expect(bench.state.resources.get('jobs.batch/v1')).toMatchObject({ phase: 'forbidden' });
    bench.cluster.refuse(JOBS, undefined);
    expect(await said(5 * MINUTES)).toEqual(['upstream1 jobs/shop-1a2b3!']);
  });

  it.each<FleetResource>(['bundles', 'bundledeployments', 'clusters', 'clustergroups', 'gitrepos'])(
    'since it does not serve %s delays the snapshot: that is not a cluster without objects',
    async (resource) => {
      bench.cluster.unserve(fleet(resource));
      start({ resyncMs: 600 * MINUTES });
      expect(await said(60 * MINUTES)).toEqual(without(resource));
      expect(bench.state.complete).toBe(false);
      bench.serve(fleet(resource));
      expect(await said(5 * MINUTES)).toContain('upstream1 snapshot');
    },
  );

  it('since all of Fleet is missing delays the snapshot until it is installed', async () => {
    const all = OBJECTS.filter(([resource]) => resource !== 'jobs');
    for (const [resource] of all) bench.cluster.unserve(fleet(resource));
    start({ resyncMs: 600 * MINUTES });
    expect(await said(60 * MINUTES)).toEqual(['upstream1 jobs/shop-1a2b3!']);
    for (const [resource] of all) bench.serve(fleet(resource));
    expect(await said(5 * MINUTES)).toContain('upstream1 snapshot');
  });

  it('does not delay anything if an older Fleet has no HelmOps, and they are reported once they exist', async () => {
    bench.cluster.unserve(HELM_OPS);
    start({ resyncMs: 60 * MINUTES });
    expect(await said(10_000)).toEqual([...without('helmops'), 'upstream1 snapshot']);
    bench.serve(HELM_OPS);
    bench.cluster.put(HELM_OPS, helmOp());
    expect(await said(5 * MINUTES)).toEqual(['upstream1 helmops/cache!']);
  });

  it.each<FleetResource>(['bundles', 'bundledeployments', 'clusters', 'clustergroups', 'gitrepos'])(
    'of %s delays the snapshot for as long as that is so',
    async (resource) => {
      bench.cluster.refuse(fleet(resource), FORBIDDEN);
      start();
      expect(await said(60 * MINUTES)).toEqual(without(resource));
      bench.cluster.refuse(fleet(resource), undefined);
      expect(await said(MINUTES)).toContain('upstream1 snapshot');
    },
  );
});
