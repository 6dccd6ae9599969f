import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#shared/core/json.ts';
import { ALL, CLUSTERS, cluster, DEV, group, names, PROD, targetsOf } from './targets-fleet.ts';

describe('bundleTargets', () => {
  it.each<[string, JsonValue, string]>([
    ['Target Matching: clusterSelector', PROD, 'prod'],
    ['Target Matching: {} matches everything', ALL, 'dev loner prod'],
    ['Target Matching: null is dropped', { clusterSelector: null, clusterName: 'dev' }, 'dev'],
    ['Target Matching: "" is dropped', { ...PROD, clusterName: '', clusterGroup: '' }, 'prod'],
    ['ClusterMatcher: no criteria match nothing', { name: 'target000' }, ''],
    ['ClusterMatcher: only nulls match nothing', { clusterSelector: null, clusterName: null }, ''],
    ['ClusterMatcher: the name of the Cluster', { clusterName: 'prod' }, 'prod'],
    ['ClusterMatcher: its display name', { clusterName: 'shop' }, 'prod'],
    ['ClusterMatcher: no prefix of its name', { clusterName: 'pro' }, ''],
    ['Target Matching: all criteria', { ...PROD, clusterName: 'dev' }, ''],
    ['Target Matching: clusterGroup', { clusterGroup: 'all' }, 'dev prod'],
    ['Target Matching: clusterGroup of nobody', { clusterGroup: 'nobody' }, ''],
    ['Target Matching: clusterGroup without a selector', { clusterGroup: 'unset' }, ''],
    ['ClusterGroupsForCluster: a faulty group is skipped', { clusterGroup: 'faulty' }, ''],
    ['ClusterMatcher: no display name of a group', { clusterGroup: 'shop' }, ''],
    [
      'Target Matching: clusterGroupSelector',
      { clusterGroupSelector: { matchLabels: { region: 'us-east' } } },
      'prod',
    ],
    [
      'Target Matching: both of the same group',
      { clusterGroup: 'tier1', clusterGroupSelector: { matchLabels: { region: 'us-east' } } },
      '',
    ],
    ['Target Matching: a group refined', { clusterGroup: 'all', ...DEV }, 'dev'],
    ['match: without a group, one without labels', { clusterGroupSelector: {} }, 'dev loner prod'],
    [
      'match: without a group, no label exists',
      {
        clusterGroupSelector: {
          matchExpressions: [{ key: 'region', operator: 'Exists' }],
        },
      },
      'prod',
    ],
    [
      'match: each group is tried',
      {
        clusterGroupSelector: {
          matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }],
        },
      },
      'dev loner prod',
    ],
  ])('selects by the criteria of an entry: %s', (...[, target, expected]) => {
    expect(names({ targets: [target] })).toBe(expected);
  });

  it.each<[string, JsonValue[], string]>([
    ['Target Matching: any of the targets', [PROD, DEV], 'dev prod'],
    [
      'Defining Targets: the first to match is used',
      [{ ...PROD, doNotDeploy: true }, ALL],
      'dev loner',
    ],
    [
      'Defining Targets: a later one is not',
      [ALL, { ...PROD, doNotDeploy: true }],
      'dev loner prod',
    ],
    ['Defining Targets: no targets', [], ''],
    ['doNotDeploy: false', [{ ...PROD, doNotDeploy: false }], 'prod'],
    ['determineIsCustomization: any other source', [{ ...PROD, source: 'gitrepo' }], 'prod'],
    ['a customization selects nothing', [{ ...PROD, source: 'customization' }, DEV], 'dev'],
  ])('goes through the targets in their order: %s', (...[, targets, expected]) => {
    expect(names({ targets })).toBe(expected);
  });

  it.each<[string, JsonValue[], JsonValue[], string]>([
    ['isRestricted: one must match', [{ ...ALL, source: 'gitrepo' }], [PROD, DEV], 'dev prod'],
    ['isRestricted: and the target', [{ ...PROD, source: 'gitrepo' }], [ALL], 'prod'],
    ['isRestricted: one without criteria', [{ ...ALL, source: 'gitrepo' }], [{ name: 'x' }], ''],
    [
      'criteriaWithRestrictions: the same group',
      [{ clusterGroup: 'all', source: 'gitrepo' }],
      [{ clusterGroup: 'east' }],
      '',
    ],
    [
      'criteriaWithRestrictions: a group of both',
      [{ clusterGroup: 'all', source: 'gitrepo' }],
      [{ clusterGroup: 'east' }, { clusterGroup: 'all', ...DEV }],
      'dev',
    ],
    [
      'criteriaWithRestrictions: the Cluster of one, the group of another',
      [{ clusterGroup: 'east', source: 'gitrepo' }],
      [
        { clusterGroup: 'east', clusterName: 'dev' },
        { clusterGroup: 'all', clusterName: 'prod' },
      ],
      '',
    ],
    [
      'doNotDeploy: of the first allowed',
      [{ ...PROD, doNotDeploy: true }, ALL],
      [ALL, ALL],
      'dev loner',
    ],
  ])('obeys the restrictions: %s', (...[, targets, targetRestrictions, expected]) => {
    expect(names({ targets, targetRestrictions })).toBe(expected);
  });

  it('selects Clusters of its namespace alone, none that is being deleted, sorted by name', () => {
    const clusters = [
      cluster('b', {}),
      cluster('B', {}),
      cluster('gone', {}, { deletionTimestamp: '2026-08-22T10:00:00Z' }),
      cluster('a', {}),
      cluster('elsewhere', {}, { namespace: 'fleet-local' }),
    ];
    const ids = ['fleet-default/B', 'fleet-default/a', 'fleet-default/b'];
    expect(targetsOf({ targets: [ALL] }, clusters)).toEqual({ clusters: ids, errors: [] });
  });

  it('does not take a ClusterGroup of another namespace', () => {
    const foreign = { ...group('east', {}, {}), metadata: { name: 'east', namespace: 'other' } };
    const targets = targetsOf({ targets: [{ clusterGroup: 'east' }] }, CLUSTERS, [foreign]);
    expect(targets.clusters).toEqual([]);
  });

  it('selects nothing in a namespace without Clusters', () => {
    expect(targetsOf({ targets: [ALL] }, [])).toEqual({ clusters: [], errors: [] });
  });
});
