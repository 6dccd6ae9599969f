import { describe, expect, it } from 'vitest';
import {
  bundlesOf,
  byKind,
  deploymentClusters,
  targetRows,
} from '#shared/core/desired/fleet-targets.ts';
import { NO_LIST } from '#shared/core/field-messages.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { bundle, bundleDeployment, cluster, clusterGroup } from '../fleet/fixtures/objects.ts';
import { CREATED, namespaceOf } from '../fleet/fixtures/parts.ts';
import { deploymentIn } from '../fleet/fixtures/states.ts';
import { KnownFleet, NOW_MS, SILENT } from '../fleet/known-fleet.ts';

/** The rows of the targets of some objects. */
class Rows extends KnownFleet {
  errors(name: string): readonly string[] {
    const known = bundlesOf(byKind(this.objects())).get(`fleet-default/${name}`);
    return known?.targetErrors ?? [];
  }

  rows(): readonly DeploymentRow[] {
    const objects = byKind(this.objects());
    return targetRows(objects, bundlesOf(objects).values(), NOW_MS);
  }

  /** `<Bundle> in <Cluster>: <state>` of each row, sorted. */
  told(): readonly string[] {
    return this.rows()
      .map(({ bundle: of, cluster: where, state }) => `${of} in ${where}: ${state}`)
      .map((text) => text.replaceAll('fleet-default/', ''))
      .sort();
  }
}

const PROD = [{ clusterSelector: { matchLabels: { env: 'prod' } } }];
const IN_GROUP = [{ clusterGroup: 'production' }];
const c1 = cluster();
const c2 = cluster({ name: 'c2', labels: { env: 'dev' } });

describe('the targets of Bundles', () => {
  it('are Pending until there is a BundleDeployment (Fleet, Status Fields, "Pending")', () => {
    const rows = new Rows(c1, c2, bundle());
    expect(rows.told()).toEqual(['shop in c1: Pending', 'shop in c2: Pending']);
    rows.put(bundleDeployment());
    expect(rows.told()).toEqual(['shop in c1: Ready', 'shop in c2: Pending']);
    rows.remove(bundleDeployment());
    expect(rows.told()).toEqual(['shop in c1: Pending', 'shop in c2: Pending']);
  });

  it.each<readonly [what: string, change: JsonObject, told: readonly string[]]>([
    ['a Cluster of a target is added', cluster({ name: 'c3' }), ['c1', 'c3']],
    ['a Cluster gets labels', cluster({ name: 'c2' }), ['c1', 'c2']],
    ['a Cluster loses labels', cluster({ labels: { env: 'dev' } }), []],
    ['a Cluster is being deleted', cluster({ metadata: { deletionTimestamp: CREATED } }), []],
    ['other targets', bundle({ spec: { targets: [{ clusterName: 'c2' }] } }), ['c2']],
    ['no targets', bundle({ spec: { targets: [] } }), []],
    ['a Bundle that is being deleted', bundle({ metadata: { deletionTimestamp: CREATED } }), []],
    ['unreadable targets', bundle({ spec: { targets: 'all' } }), []],
  ])('are found again after %s', (_what, change, clusters) => {
    const rows = new Rows(c1, c2, bundle({ spec: { targets: PROD } }));
    expect(rows.told()).toEqual(['shop in c1: Pending']);
    rows.put(change);
    expect(rows.told()).toEqual(clusters.map((name) => `shop in ${name}: Pending`));
  });

  it('are found again after a change of a ClusterGroup: its selector, its end', () => {
    const rows = new Rows(c1, c2, clusterGroup(), bundle({ spec: { targets: IN_GROUP } }));
    expect(rows.told()).toEqual(['shop in c1: Pending']);
    rows.put(clusterGroup({ spec: { selector: { matchLabels: { env: 'dev' } } } }));
    expect(rows.told()).toEqual(['shop in c2: Pending']);
    rows.remove(clusterGroup());
    expect(rows.told()).toEqual([]);
  });

  it('go with the Cluster and with the Bundle', () => {
    const rows = new Rows(c1, c2, bundle(), bundle({ name: 'base' }));
    expect(rows.told()).toHaveLength(4);
    rows.remove(c2);
    expect(rows.told()).toEqual(['base in c1: Pending', 'shop in c1: Pending']);
    rows.remove(bundle());
    expect(rows.told()).toEqual(['base in c1: Pending']);
  });

  it('are computed again if a spec has integers beyond 2^53 that differ, and otherwise kept', () => {
    const withValue = (value: bigint, targets: JsonValue): JsonObject =>
      bundle({ spec: { helm: { values: { value } }, targets } });
    const rows = new Rows(c1, c2, withValue(2n ** 53n, PROD));
    rows.put(withValue(2n ** 53n, PROD));
    expect(rows.told()).toEqual(['shop in c1: Pending']);
    rows.put(withValue(2n ** 53n + 1n, [{ clusterName: 'c2' }]));
    expect(rows.told()).toEqual(['shop in c2: Pending']);
  });

  it('are none without a spec', () => {
    const { spec: _spec, ...bare } = bundle();
    const rows = new Rows(c1, bundle());
    rows.put(bare);
    expect(rows.rows()).toEqual([]);
  });

  it('report what is wrong with them', () => {
    const rows = new Rows(c1, bundle({ spec: { targets: 'all' } }));
    expect(rows.errors('shop')).toEqual([`spec.targets: ${NO_LIST}`]);
    rows.put(bundle());
    expect(rows.errors('shop')).toEqual([]);
  });

  it('belong to the GitRepo and HelmOp that the Bundle has labels of, also when those change', () => {
    const rows = new Rows(c1, bundle());
    expect(rows.rows()).toMatchObject([{ repo: 'fleet-default/shop', helmOp: '' }]);
    rows.put(bundle({ repo: '', helmOp: 'cache' }));
    expect(rows.rows()).toMatchObject([{ repo: '', helmOp: 'fleet-default/cache' }]);
  });

  it('are Pending again if the labels of a BundleDeployment say that it is of another Bundle', () => {
    const rows = new Rows(c1, bundle(), bundleDeployment());
    expect(rows.told()).toEqual(['shop in c1: Ready']);
    rows.put(bundleDeployment({ bundle: 'base' }));
    expect(rows.told()).toEqual(['base in c1: Ready', 'shop in c1: Pending']);
  });
});

describe('the Cluster of a BundleDeployment', () => {
  const unlabelled = bundleDeployment({ cluster: '', metadata: { namespace: namespaceOf('c1') } });
  const inC1 = ['shop in c1: Ready'];
  const inNone = ['shop in : Ready'];

  it('is the one that its labels name, wherever it is (Fleet, `pkg/apis`)', () => {
    const elsewhere = bundleDeployment({ metadata: { namespace: namespaceOf('c2') } });
    expect(new Rows(c1, c2, elsewhere).told()).toEqual(inC1);
    expect(new Rows(elsewhere).told()).toEqual(inC1);
  });

  it('without labels is the one whose status has its namespace (docs/fleet.md)', () => {
    expect(new Rows(c1, unlabelled).told()).toEqual(inC1);
    expect(new Rows(unlabelled, c1).told()).toEqual(inC1);
    expect(new Rows(c2, unlabelled).told()).toEqual(inNone);
  });

  it('without labels changes with status.namespace of Clusters and with their end', () => {
    const rows = new Rows(unlabelled, cluster({ status: { namespace: '' } }));
    expect(rows.told()).toEqual(inNone);
    rows.put(c1);
    expect(rows.told()).toEqual(inC1);
    rows.put(cluster({ status: { namespace: namespaceOf('c9') } }));
    expect(rows.told()).toEqual(inNone);
    rows.put(c1);
    rows.remove(c1);
    expect(rows.told()).toEqual(inNone);
  });

  it('without labels is the first by name of those that claim the namespace', () => {
    const other = cluster({ name: 'c0', status: { namespace: namespaceOf('c1') } });
    const rows = new Rows(unlabelled, c1, other);
    expect(rows.told()).toEqual(['shop in c0: Ready']);
    rows.remove(other);
    expect(rows.told()).toEqual(inC1);
    rows.put(other);
    rows.remove(c1);
    expect(rows.told()).toEqual(['shop in c0: Ready']);
  });

  it('has a BundleDeployment without labels in place of a target', () => {
    const rows = new Rows(bundle(), unlabelled, cluster({ status: { namespace: '' } }));
    expect(rows.told()).toEqual(['shop in : Ready', 'shop in c1: Pending']);
    rows.put(c1);
    expect(rows.told()).toEqual(inC1);
  });

  it('is also reported if its rows are not asked for', () => {
    const clusterOf = deploymentClusters(new Rows(c1, bundle()).objects());
    const elsewhere = bundleDeployment({ cluster: '', metadata: { namespace: 'shop' } });
    expect([bundleDeployment({ cluster: 'c2' }), unlabelled, elsewhere].map(clusterOf)).toEqual([
      'fleet-default/c2',
      'fleet-default/c1',
      '',
    ]);
  });

  it('makes it silent while its agent is, and no longer', () => {
    const rows = new Rows(c1, deploymentIn('Modified'), unlabelled);
    rows.put(cluster({ status: SILENT }));
    const silence = 'agent last seen 2026-11-21T10:00:00Z';
    expect(rows.rows()).toMatchObject([{ state: 'NotReady', message: silence }]);
    rows.put(c1);
    expect(rows.told()).toEqual(inC1);
    rows.put(cluster({ status: SILENT }));
    rows.remove(c1);
    expect(rows.told()).toEqual(inNone);
  });
});
