import { describe, expect, it } from 'vitest';
import { desiredFleet } from '#shared/core/desired/desired-fleet.ts';
import { NO_LIST } from '#shared/core/field-messages.ts';
import { NO_TARGETS, targetingError } from '#shared/core/fleet/messages.ts';
import { bundle, cluster, clusterGroup, gitRepo, helmOp } from '../fleet/fixtures/objects.ts';
import { deploymentIn } from '../fleet/fixtures/states.ts';
import {
  FAILED_JOB,
  fleetObject,
  type KnownFleet,
  SHOP_IN_PROD,
  SILENT,
  shopFleet,
} from '../fleet/known-fleet.ts';

/** The messages of Ready of the Bundle, the GitRepo, both Clusters and the ClusterGroup, where they are not empty. */
function messages(known: KnownFleet): Readonly<Record<string, string | undefined>> {
  const all = {
    bundle: known.message('Bundle', 'shop'),
    repo: known.message('GitRepo', 'shop'),
    c1: known.message('Cluster', 'c1'),
    c2: known.message('Cluster', 'c2'),
    group: known.message('ClusterGroup', 'production'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, message]) => message !== ''));
}

const ON_CLUSTER = 'ErrApplied(1) [Cluster fleet-default/c1: boom]';
const ON_BUNDLE = 'ErrApplied(1) [Bundle shop: boom]';
const SEEN = 'agent last seen 2026-11-21T10:00:00Z';
const OFFLINE = `NotReady(1) [Bundle shop: ${SEEN}]; Offline(1) [Cluster fleet-default/c1: ${SEEN}]`;

type Told = Readonly<Record<string, string>>;
type Act = (known: KnownFleet) => void;

describe('a fleet', () => {
  it('is Ready on every level', () => {
    expect(messages(shopFleet())).toEqual({});
  });

  it.each<readonly [what: string, act: Act, told: Told]>([
    [
      'a BundleDeployment gets another state',
      (known) => known.put(deploymentIn('ErrApplied')),
      { bundle: ON_CLUSTER, repo: ON_CLUSTER, c1: ON_BUNDLE, group: ON_BUNDLE },
    ],
    [
      'a BundleDeployment goes: its target is Pending',
      (known) => known.remove(deploymentIn('Ready')),
      {
        bundle: 'Pending(1) [Cluster fleet-default/c1]',
        repo: 'Pending(1) [Cluster fleet-default/c1]',
        c1: 'Pending(1) [Bundle shop]',
        group: 'Pending(1) [Bundle shop]',
      },
    ],
    [
      'a Cluster falls silent',
      (known) => known.put(cluster({ status: SILENT })),
      {
        bundle: `NotReady(1) [Cluster fleet-default/c1: ${SEEN}]`,
        repo: `NotReady(1) [Cluster fleet-default/c1: ${SEEN}]`,
        c1: OFFLINE,
        group: OFFLINE,
      },
    ],
    [
      'a Cluster gets labels that a Bundle targets and a ClusterGroup selects',
      (known) => known.put(cluster({ name: 'c2' })),
      {
        bundle: 'Pending(1) [Cluster fleet-default/c2]',
        repo: 'Pending(1) [Cluster fleet-default/c2]',
        c2: 'Pending(1) [Bundle shop]',
        group: 'Pending(1) [Bundle shop]',
      },
    ],
    [
      'a Bundle gets other targets',
      (known) => known.put(bundle()),
      {
        bundle: 'Pending(1) [Cluster fleet-default/c2]',
        repo: 'Pending(1) [Cluster fleet-default/c2]',
        c2: 'Pending(1) [Bundle shop]',
      },
    ],
    [
      'a Bundle gets targets that cannot be read',
      (known) => known.put(bundle({ spec: { targets: 'all' } })),
      {
        bundle: targetingError([`spec.targets: ${NO_LIST}`]),
        repo: targetingError([`spec.targets: ${NO_LIST}`]),
      },
    ],
    [
      'a BundleDeployment gets the labels of another GitRepo',
      (known) => known.put(deploymentIn('ErrApplied', { repo: 'base' })),
      { bundle: ON_CLUSTER, repo: NO_TARGETS, c1: ON_BUNDLE, group: ON_BUNDLE },
    ],
    [
      'a Bundle and its BundleDeployment go',
      (known) => known.remove(SHOP_IN_PROD, deploymentIn('Ready')),
      { repo: NO_TARGETS },
    ],
    ['a git job fails', (known) => known.put(FAILED_JOB), { repo: 'Job Failed. failed: 1/1' }],
  ])('reports on every level what has changed when %s', (_what, act, told) => {
    const known = shopFleet();
    act(known);
    // The Bundle that has gone has no message.
    expect(messages(known)).toEqual(told);
  });

  it('has the status of a ClusterGroup whose selector changes at once', () => {
    const known = shopFleet();
    known.put(deploymentIn('ErrApplied'));
    const shown = () => known.fields('ClusterGroup', 'production')['display'];
    expect(shown()).toMatchObject({ readyClusters: '0/1 (c1)', state: 'ErrApplied' });
    known.put(clusterGroup({ spec: { selector: { matchLabels: { env: 'dev' } } } }));
    expect(shown()).toEqual({ readyClusters: '1/1', readyBundles: '0/0' });
    known.put(clusterGroup({ spec: { selector: {} } }));
    expect(shown()).toMatchObject({ readyClusters: '1/2 (c1)' });
    known.put(clusterGroup({ spec: { selector: null } }));
    expect(shown()).toMatchObject({ readyClusters: '0/0' });
    known.remove(clusterGroup());
    known.put(clusterGroup());
    expect(shown()).toMatchObject({ readyClusters: '0/1 (c1)' });
  });

  it('has a Cluster in the ClusterGroups of its namespace, until it goes', () => {
    const known = shopFleet();
    const other = clusterGroup({ name: 'other', namespace: 'fleet-local', spec: { selector: {} } });
    known.put(other);
    const count = (name: string, namespace?: string) =>
      known.desired('ClusterGroup', name, namespace)?.fields['clusterCount'];
    expect([count('production'), count('other', 'fleet-local')]).toEqual([1, 0]);
    known.remove(cluster());
    expect(count('production')).toBe(0);
  });

  it('counts a GitRepo of a Cluster while there is one', () => {
    const known = shopFleet();
    expect(known.fields('Cluster', 'c1')).toMatchObject({ desiredReadyGitRepos: 1 });
    known.remove(gitRepo());
    expect(known.fields('Cluster', 'c1')).toMatchObject({ desiredReadyGitRepos: 0 });
  });
});

describe('a GitRepo without a Job', () => {
  it('keeps the job status that it has', () => {
    const one = fleetObject(gitRepo({ status: { gitJobStatus: 'Failed' } }));
    expect(desiredFleet([one], 0).get(one)?.fields['gitJobStatus']).toBe('Failed');
  });
});

describe('the status of an object', () => {
  it.each([
    ['Bundle', SHOP_IN_PROD],
    ['Cluster', cluster()],
    ['ClusterGroup', clusterGroup()],
    ['GitRepo', gitRepo()],
    ['HelmOp', helmOp()],
  ] as const)('of the kind %s is desired while there is the object', (kind, object) => {
    const known = shopFleet();
    const { name } = object['metadata'] as { readonly name: string };
    expect(known.desired(kind, name)).toBeDefined();
    known.remove(object);
    expect(known.desired(kind, name)).toBeUndefined();
  });

  it("of a BundleDeployment, and of a kind that is not Fleet's, is nobody's concern", () => {
    const objects = [deploymentIn('Ready'), { kind: 'ConfigMap' }].map(fleetObject);
    expect(desiredFleet(objects, 0)).toEqual(new Map());
  });
});
