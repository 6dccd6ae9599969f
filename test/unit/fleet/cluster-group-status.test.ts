import { describe, expect, it } from 'vitest';
import { NO_LABELS } from '#shared/core/binding/messages.ts';
import { unknownField } from '#shared/core/field-messages.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import { cluster, clusterGroup } from './fixtures/objects.ts';
import { counts } from './fixtures/parts.ts';
import { deploymentIn } from './fixtures/states.ts';
import { conditionOf, KnownFleet, NEVER_SEEN, SILENT } from './known-fleet.ts';

describe('the status of a ClusterGroup', () => {
  const c2 = cluster({ name: 'c2' });
  const inC2 = deploymentIn('Modified', { cluster: 'c2' });

  it('sums up its Clusters (Fleet, Status Fields, "ClusterGroups")', () => {
    const fleet = new KnownFleet(clusterGroup(), cluster(), c2, deploymentIn('Ready'), inC2);
    expect(fleet.fields('ClusterGroup', 'production')).toMatchObject({
      clusterCount: 2,
      nonReadyClusterCount: 1,
      nonReadyClusters: ['c2'],
      summary: { ready: 1, modified: 1, desiredReady: 2 },
      resourceCounts: counts({ ready: 3, modified: 1, desiredReady: 4 }),
      display: { readyClusters: '1/2 (c2)', readyBundles: '1/2', state: 'Modified' },
    });
    expect(fleet.message('ClusterGroup', 'production')).toBe(
      'Modified(1) [Bundle shop]; configmap.v1 shop/settings modified {"data":{"color":"blue"}}',
    );
  });

  it.each<readonly [source: string, objects: readonly JsonObject[], about: readonly string[]]>([
    ["Fleet's code: no Clusters", [cluster({ labels: { env: 'dev' } })], ['0/0', '', '']],
    [
      'docs/fleet.md: agents that were never seen',
      [cluster({ status: NEVER_SEEN }), c2],
      ['1/2 (c1)', 'WaitCheckIn', 'WaitCheckIn(1) [Cluster fleet-default/c1]'],
    ],
    [
      'docs/fleet.md: agents that have fallen silent',
      [cluster({ status: SILENT }), cluster({ name: 'c2', status: SILENT })],
      [
        '0/2 (c1,c2)',
        'Offline',
        'Offline(2) [Cluster fleet-default/c1: agent last seen 2026-11-21T10:00:00Z]',
      ],
    ],
    [
      'docs/fleet.md: both',
      [cluster({ status: SILENT }), cluster({ name: 'c2', status: NEVER_SEEN })],
      [
        '0/2 (c1,c2)',
        'Offline',
        'Offline(1) [Cluster fleet-default/c1: agent last seen 2026-11-21T10:00:00Z]; WaitCheckIn(1) [Cluster fleet-default/c2]',
      ],
    ],
    [
      'docs/fleet.md: a state of a deployment comes before them',
      [cluster({ status: NEVER_SEEN }), c2, inC2],
      [
        '0/2 (c1,c2)',
        'Modified',
        'Modified(1) [Bundle shop]; configmap.v1 shop/settings modified {"data":{"color":"blue"}}; WaitCheckIn(1) [Cluster fleet-default/c1]',
      ],
    ],
  ])('shows %s', (_source, objects, about) => {
    const fleet = new KnownFleet(clusterGroup(), ...objects);
    const { display } = fleet.fields('ClusterGroup', 'production');
    const message = fleet.message('ClusterGroup', 'production') ?? 'none';
    expect([textAt(display, 'readyClusters'), textAt(display, 'state'), message]).toEqual(about);
  });

  it('is Processed, unless its selector cannot be read: then it has no Clusters', () => {
    const fleet = new KnownFleet(clusterGroup(), cluster());
    const processed = () => conditionOf(fleet.desired('ClusterGroup', 'production'), 'Processed');
    expect(processed()).toEqual({ type: 'Processed', status: 'True' });
    fleet.put(clusterGroup({ spec: { selector: { matchLabels: [], match: 1 } } }));
    expect(processed()).toEqual({
      type: 'Processed',
      status: 'False',
      reason: 'Error',
      message: `spec.selector.match: ${unknownField('matchLabels, matchExpressions')}; spec.selector.matchLabels: ${NO_LABELS}`,
    });
    expect(fleet.fields('ClusterGroup', 'production')['clusterCount']).toBe(0);
    expect(fleet.message('ClusterGroup', 'production')).toMatch(/^spec\.selector\.match: unknown/);
  });

  it('names no Clusters if all are ready, and removes those that it named', () => {
    const fleet = new KnownFleet(clusterGroup(), cluster(), c2, deploymentIn('Ready'));
    const fields = fleet.fields('ClusterGroup', 'production');
    expect(fields).toMatchObject({ nonReadyClusterCount: 0, display: { readyClusters: '2/2' } });
    expect(Object.hasOwn(fields, 'nonReadyClusters')).toBe(false);
    expect(fleet.desired('ClusterGroup', 'production')?.absent).toEqual(['nonReadyClusters']);
  });
});
