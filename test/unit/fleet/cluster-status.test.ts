import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { bundle, cluster, gitRepo, helmOp } from './fixtures/objects.ts';
import { counts } from './fixtures/parts.ts';
import { type DeployedState, deploymentIn } from './fixtures/states.ts';
import { conditionOf, KnownFleet, NEVER_SEEN, SILENT } from './known-fleet.ts';

/** Deployments a, b and so on in c1, one in each state. */
function deployments(...states: readonly DeployedState[]): readonly JsonObject[] {
  return states.map((state, index) => deploymentIn(state, { name: 'abcdef'[index] ?? '' }));
}

describe('the status of a Cluster', () => {
  it.each<readonly [source: string, objects: readonly JsonObject[], display: JsonObject]>([
    ["Fleet's code: no deployments", [], { readyBundles: '0/0' }],
    ["Fleet's code: all Ready", deployments('Ready', 'Ready'), { readyBundles: '2/2' }],
    [
      'Fleet, Status Fields, "State Ranking"',
      deployments('NotReady', 'Modified', 'Ready'),
      { readyBundles: '1/3', state: 'Modified' },
    ],
    [
      'docs/fleet.md: targets without a BundleDeployment',
      [bundle({ name: 'a' }), ...deployments('Ready'), bundle({ name: 'b' })],
      { readyBundles: '1/2', state: 'Pending' },
    ],
    [
      'Fleet, Status Fields, "Cluster specific states"',
      [cluster({ status: NEVER_SEEN }), ...deployments('Ready')],
      { readyBundles: '1/1', state: 'WaitCheckIn' },
    ],
    [
      'docs/fleet.md: before status.namespace is set',
      [cluster({ status: { ...NEVER_SEEN, namespace: '' } })],
      { readyBundles: '0/0', state: 'WaitCheckIn' },
    ],
    [
      'docs/fleet.md: an agent that has fallen silent',
      [cluster({ status: SILENT }), ...deployments('Ready', 'ErrApplied')],
      { readyBundles: '0/2', state: 'Offline' },
    ],
  ])('has the display of %s', (_source, objects, display) => {
    expect(new KnownFleet(cluster(), ...objects).fields('Cluster', 'c1')['display']).toEqual(
      display,
    );
  });

  it.each<readonly [source: string, objects: readonly JsonObject[], message: string]>([
    ["Fleet's code: no deployments", [], ''],
    [
      'Fleet, Status Fields, "Ready Condition"',
      deployments('NotReady', 'ErrApplied', 'OutOfSync'),
      'ErrApplied(1) [Bundle b: boom]; NotReady(1) [Bundle a]; deployment.apps shop/web [progressing] Available: 1/2; OutOfSync(1) [Bundle c]',
    ],
    [
      'docs/fleet.md: targets without a BundleDeployment',
      [bundle({ name: 'b' }), bundle({ name: 'a' })],
      'Pending(2) [Bundle a]',
    ],
    [
      'docs/fleet.md: an agent that was never seen',
      [cluster({ status: NEVER_SEEN }), ...deployments('WaitApplied')],
      'WaitApplied(1) [Bundle a]; WaitCheckIn(1) [Cluster fleet-default/c1]',
    ],
    [
      'docs/fleet.md: an agent that has fallen silent',
      [cluster({ status: SILENT }), ...deployments('Ready', 'ErrApplied')],
      'ErrApplied(1) [Bundle b: boom; agent last seen 2026-11-21T10:00:00Z]; NotReady(1) [Bundle a: agent last seen 2026-11-21T10:00:00Z]; Offline(1) [Cluster fleet-default/c1: agent last seen 2026-11-21T10:00:00Z]',
    ],
  ])('has the message of %s', (_source, objects, message) => {
    const fleet = new KnownFleet(cluster(), ...objects);
    const status = message === '' ? 'True' : 'False';
    const desired = fleet.desired('Cluster', 'c1');
    expect(conditionOf(desired, 'Ready')).toEqual({ type: 'Ready', status, message });
    expect(conditionOf(desired, 'Processed')).toEqual({ type: 'Processed', status: 'True' });
  });

  it.each<readonly [source: string, objects: readonly JsonObject[], ready: readonly number[]]>([
    ["Fleet's code: none", [], [0, 0, 0, 0]],
    [
      'Fleet, Status Fields: one of two GitRepos',
      [gitRepo(), gitRepo({ name: 'base' }), ...deployments('Ready')],
      [1, 1, 0, 0],
    ],
    ["Fleet's code: labels that name no object", deployments('Ready'), [0, 0, 0, 0]],
    [
      'docs/fleet.md: each deployment Ready',
      [gitRepo(), ...deployments('Ready', 'Ready')],
      [1, 1, 0, 0],
    ],
    [
      'docs/fleet.md: one deployment of two not Ready',
      [gitRepo(), ...deployments('Ready', 'NotReady')],
      [0, 1, 0, 0],
    ],
    [
      'Fleet, Status Fields: a HelmOp',
      [helmOp(), deploymentIn('Ready', { repo: '', helmOp: 'cache' })],
      [0, 0, 1, 1],
    ],
    [
      "Fleet's code: with both labels a GitRepo's",
      [gitRepo(), helmOp(), deploymentIn('Ready', { helmOp: 'cache' })],
      [1, 1, 0, 0],
    ],
  ])('counts GitRepos and HelmOps: %s', (_source, objects, ready) => {
    const fields = new KnownFleet(cluster(), ...objects).fields('Cluster', 'c1');
    const { readyGitRepos, desiredReadyGitRepos, readyHelmOps, desiredReadyHelmOps } = fields;
    expect([readyGitRepos, desiredReadyGitRepos, readyHelmOps, desiredReadyHelmOps]).toEqual(ready);
  });

  it('has the resources of all its deployments, all Unknown while its agent is silent', () => {
    const fleet = new KnownFleet(cluster(), ...deployments('Ready', 'Modified', 'WaitApplied'));
    const some = { ready: 3, modified: 1, waitApplied: 2, desiredReady: 6 };
    expect(fleet.fields('Cluster', 'c1')['resourceCounts']).toEqual(counts(some));
    fleet.put(cluster({ status: SILENT }));
    const none = { ready: 0, unknown: 6, desiredReady: 6 };
    expect(fleet.fields('Cluster', 'c1')['resourceCounts']).toEqual(counts(none));
  });

  it('has a summary that lists deployments by name', () => {
    const fleet = new KnownFleet(
      cluster(),
      ...deployments('NotReady', 'Ready', 'ErrApplied').toReversed(),
    );
    expect(fleet.fields('Cluster', 'c1')['summary']).toMatchObject({
      ready: 1,
      desiredReady: 3,
      nonReadyResources: [
        { name: 'a', bundleState: 'NotReady' },
        { name: 'c', bundleState: 'ErrApplied', message: 'boom' },
      ],
    });
  });
});
