import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, isArray, member, textAt } from '#shared/core/json.ts';
import {
  apply,
  listObjects,
  MERGE_PATCH,
  pathOf,
  read,
  remove,
  request,
  setStatus,
} from './clusters.ts';
import { edit, eventually } from './controls.ts';
import { defineFleet } from './fleet/crds.ts';
import { storedDifferences } from './fleet/differences.ts';
import {
  agentSays,
  agentStatus,
  CLUSTERS,
  checkIn,
  clearFleet,
  deploy,
  deploymentRef,
  endGitJob,
  makeCluster,
  makeFleet,
  mergeStatus,
  order,
  own,
  type Place,
  removeNow,
  startGitJob,
  upstream,
} from './fleet/played.ts';
import { allRight, quiet, READY, says, statusAt, versions } from './fleet/seen.ts';
import { fleetRef, now, standingObjects } from './fleet/statuses.ts';
import { type FleetStackChild, startFleetStackChild } from './stack-child.ts';

let stack: FleetStackChild;

beforeAll(async () => {
  await defineFleet(upstream);
  await makeFleet();
  stack = await startFleetStackChild(upstream.name, 'write');
});
afterAll(async () => {
  await stack.dispose();
  await clearFleet();
});

describe('the definitions of the kinds', () => {
  it.each([
    { what: 'a counter that is a text', resource: 'bundles', wrong: { unavailable: '1' } },
    {
      what: 'a summary without its counters',
      resource: 'gitrepos',
      wrong: { summary: { notReady: 1 } },
    },
    {
      what: 'a condition without a status',
      resource: 'clusters',
      wrong: { conditions: [{ type: 'X' }] },
    },
    { what: 'a display that is a text', resource: 'helmops', wrong: { display: '1/1' } },
    {
      what: 'counts that are not all there',
      resource: 'clustergroups',
      wrong: { clusterCount: 1, nonReadyClusterCount: 0, resourceCounts: { ready: 1 } },
    },
  ] as const)('refuse $what', async ({ resource, wrong }) => {
    const [standing] = await listObjects(upstream, fleetRef(resource, '', ''));
    const name = textAt(standing, 'metadata', 'name');
    const path = `${pathOf(own(resource, name))}/status`;
    const body = { status: wrong };
    const answer = await request(upstream, { method: 'PATCH', path, body, type: MERGE_PATCH });
    expect(answer.status).toBe(422);
    expect(answer.body['message']).toContain(`status.${Object.keys(wrong).at(-1)}`);
  });
});

describe('a fleet in which all is Ready', () => {
  it('has statuses that say so on every level', async () => {
    await allRight();
    for (const [resource, name] of [
      ['bundles', 'tools-logs'],
      ['gitrepos', 'tools'],
      ['helmops', 'cache'],
      ['clusters', 'c1'],
      ['clustergroups', 'all'],
    ] as const)
      expect(await says(own(resource, name))()).toEqual(READY);
    const counts = { ready: 50, desiredReady: 50 };
    expect(await statusAt(own('clustergroups', 'all'), 'resourceCounts')()).toMatchObject(counts);
    expect(await statusAt(own('gitrepos', 'shop'), 'resources')()).toHaveLength(2);
  });
});

describe('a rollout', () => {
  const NEW = 's-a2:b2';
  const [bundle, repo] = [own('bundles', 'shop-web'), own('gitrepos', 'shop')];

  async function saysEverywhere(message: string): Promise<void> {
    const expected = [message === '' ? 'True' : 'False', message];
    for (const ref of [bundle, repo]) await eventually(says(ref), expected);
    await allRight();
  }

  it('is told step by step on the Bundle and the GitRepo, and on the Cluster', async () => {
    const into = (name: string): Place => ['shop-web', name];
    for (const name of ['c1', 'c2', 'c3']) await order(into(name), { stagedDeploymentID: NEW });
    await saysEverywhere('OutOfSync(3) [Cluster fleet-default/c1]');
    await order(into('c1'), { deploymentID: NEW });
    await saysEverywhere(
      'OutOfSync(2) [Cluster fleet-default/c2]; WaitApplied(1) [Cluster fleet-default/c1]',
    );
    await eventually(says(own('clusters', 'c1')), ['False', 'WaitApplied(1) [Bundle shop-web]']);
    await agentSays(into('c1'), agentStatus('NotReady', { appliedDeploymentID: NEW }));
    await saysEverywhere(
      'NotReady(1) [Cluster fleet-default/c1]; deployment.apps shop/web [progressing] Available: 1/2; ' +
        'OutOfSync(2) [Cluster fleet-default/c2]',
    );
    await agentSays(into('c1'), agentStatus('Ready', { appliedDeploymentID: NEW }));
    await order(into('c2'), { deploymentID: NEW });
    await saysEverywhere(
      'OutOfSync(1) [Cluster fleet-default/c3]; WaitApplied(1) [Cluster fleet-default/c2]',
    );
    await agentSays(into('c2'), agentStatus('Ready', { appliedDeploymentID: NEW }));
    await order(into('c3'), { deploymentID: NEW });
    await saysEverywhere('WaitApplied(1) [Cluster fleet-default/c3]');
    await agentSays(into('c3'), agentStatus('Ready', { appliedDeploymentID: NEW }));
    await saysEverywhere('');
    expect(await statusAt(repo, 'display')()).toEqual({ readyBundleDeployments: '6/6' });
    expect(await statusAt(bundle, 'display')()).toEqual({ readyClusters: '3/3' });
  });
});

describe('a failure', () => {
  const place: Place = ['shop-db', 'c2'];

  it('is told on every level, until it is mended', async () => {
    const levels = [
      [own('bundles', 'shop-db'), 'Cluster fleet-default/c2'],
      [own('gitrepos', 'shop'), 'Cluster fleet-default/c2'],
      [own('clusters', 'c2'), 'Bundle shop-db'],
      [own('clustergroups', 'production'), 'Bundle shop-db'],
      [own('clustergroups', 'all'), 'Bundle shop-db'],
    ] as const;
    await agentSays(place, agentStatus('ErrApplied'));
    for (const [ref, named] of levels) {
      await eventually(says(ref), ['False', `ErrApplied(1) [${named}: boom]`]);
      expect(await statusAt(ref, 'display', 'state')()).toBe('ErrApplied');
    }
    await allRight();
    expect(await statusAt(own('clustergroups', 'production'), 'display')()).toEqual({
      readyClusters: '2/3 (c2)',
      readyBundles: '13/14',
      state: 'ErrApplied',
    });
    await agentSays(place, agentStatus('Ready'));
    for (const [ref] of levels) await eventually(says(ref), READY);
    await allRight();
  });

  it('of a git job is told on the GitRepo, with the log once Fleet has read it', async () => {
    const repo = own('gitrepos', 'shop');
    const failed = await startGitJob('shop', 'shop-2');
    await eventually(says(repo, 'Reconciling'), ['True', '']);
    expect(await statusAt(repo, 'display', 'state')()).toBe('GitUpdating');
    await endGitJob(failed, 'Failed');
    const counted = ['False', 'Job Failed. failed: 1/1'];
    await eventually(says(repo), counted);
    expect(await says(repo, 'Stalled')()).toEqual(['True', counted[1]]);
    expect(await says(repo, 'Reconciling')()).toEqual(['False', '']);
    expect(await statusAt(repo, 'gitJobStatus')()).toBe('Failed');
    await allRight();
    const logged = 'authentication required';
    const stalled = { type: 'Stalled', status: 'True', reason: 'Stalled', message: logged };
    const conditions = await statusAt(repo, 'conditions')();
    const others = (isArray(conditions) ? conditions : []).filter(
      (one) => member(one, 'type') !== 'Stalled',
    );
    await mergeStatus(repo, { conditions: [...others, { ...stalled, lastUpdateTime: now() }] });
    await eventually(says(repo), ['False', logged]);
    await allRight();
    await endGitJob(await startGitJob('shop', 'shop-3'), 'Complete');
    await removeNow(failed);
    await eventually(says(repo), READY);
    expect(await says(repo, 'Stalled')()).toEqual(['False', '']);
    await allRight();
  });
});

describe('a paused Bundle with a newer version', () => {
  it('is OutOfSync on every level until it goes on', async () => {
    const NEWER = 's-a3:b3';
    const places = CLUSTERS.map((name): Place => ['tools-agent', name]);
    const [bundle, repo] = [own('bundles', 'tools-agent'), own('gitrepos', 'tools')];
    await edit(upstream, bundle, { spec: { paused: true } });
    for (const place of places) await order(place, { paused: true, stagedDeploymentID: NEWER });
    for (const ref of [bundle, repo])
      await eventually(says(ref), ['False', 'OutOfSync(6) [Cluster fleet-default/c1]']);
    await eventually(says(own('clusters', 'c4')), ['False', 'OutOfSync(1) [Bundle tools-agent]']);
    const all = own('clustergroups', 'all');
    await eventually(says(all), ['False', 'OutOfSync(6) [Bundle tools-agent]']);
    await allRight();
    for (const ref of [bundle, repo, own('clusters', 'c4'), all])
      expect(await statusAt(ref, 'display', 'state')()).toBe('OutOfSync');
    await edit(upstream, bundle, { spec: { paused: false } });
    for (const place of places) {
      await order(place, { paused: false, deploymentID: NEWER });
      await agentSays(place, agentStatus('Ready', { appliedDeploymentID: NEWER }));
    }
    for (const ref of [bundle, repo, all]) await eventually(says(ref), READY);
    await allRight();
  });
});

describe('a Cluster whose agent falls silent', () => {
  it('is Offline, and its deployments are NotReady, until it reports again', async () => {
    const statuses = async () => {
      const differing = await standingObjects(upstream);
      return differing.map(({ ref, object }) => [
        pathOf(ref),
        JSON.parse(
          JSON.stringify(object['status'] ?? null, (field, value) =>
            field === 'lastUpdateTime' || field === 'lastSeen' ? undefined : value,
          ),
        ),
      ]);
    };
    const before = await statuses();
    const seen = `agent last seen ${await checkIn('c6', 120)}`;
    const offline = `Offline(1) [Cluster fleet-default/c6: ${seen}]`;
    const message = `NotReady(3) [Bundle cache: ${seen}]; ${offline}`;
    const [c6, all] = [own('clusters', 'c6'), own('clustergroups', 'all')];
    for (const ref of [c6, all]) await eventually(says(ref), ['False', message]);
    expect(await statusAt(c6, 'display', 'state')()).toBe('Offline');
    expect(await statusAt(all, 'display', 'readyClusters')()).toBe('5/6 (c6)');
    const cache = `NotReady(1) [Bundle cache: ${seen}]`;
    await eventually(says(own('helmops', 'cache')), ['False', cache]);
    const logs = `NotReady(1) [Cluster fleet-default/c6: ${seen}]`;
    await eventually(says(own('bundles', 'tools-logs')), ['False', logs]);
    await allRight();
    expect(await statusAt(c6, 'resourceCounts')()).toMatchObject({ ready: 0, unknown: 6 });
    await checkIn('c6');
    await eventually(statuses, before);
    await allRight();
  });

  it('is shown again as silent when it was heard of once more, long ago', async () => {
    const first = await checkIn('c5', 180);
    const c5 = own('clusters', 'c5');
    await eventually(says(c5), ['False', expect.stringContaining(`agent last seen ${first}`)]);
    const second = await checkIn('c5', 120);
    await eventually(says(c5), ['False', expect.stringContaining(`agent last seen ${second}`)]);
    await allRight();
    await checkIn('c5');
    await eventually(says(c5), READY);
    await allRight();
  });
});

describe('a Cluster whose labels change', () => {
  const production = own('clustergroups', 'production');

  it('leaves its group and enters the targets of others, where it is Pending until deployed', async () => {
    await edit(upstream, own('clusters', 'c3'), { metadata: { labels: { env: 'dev' } } });
    for (const name of ['labs-a', 'labs-b'])
      await eventually(says(own('bundles', name)), [
        'False',
        'Pending(1) [Cluster fleet-default/c3]',
      ]);
    const labs = own('gitrepos', 'labs');
    await eventually(says(labs), ['False', 'Pending(2) [Cluster fleet-default/c3]']);
    await eventually(statusAt(production, 'clusterCount'), 2);
    // What is deployed there counts until it goes.
    expect(await statusAt(own('bundles', 'shop-web'), 'display', 'readyClusters')()).toBe('3/3');
    await allRight();
    await deploy(['labs-a', 'c3'], ['labs-b', 'c3']);
    for (const name of ['shop-db', 'shop-web']) await remove(upstream, deploymentRef([name, 'c3']));
    await eventually(says(labs), READY);
    await eventually(statusAt(own('gitrepos', 'shop'), 'desiredReadyClusters'), 2);
    await eventually(statusAt(labs, 'display'), { readyBundleDeployments: '6/6' });
    await allRight();
  });

  it('enters a group, and the targets that name the group', async () => {
    await edit(upstream, own('clusters', 'c4'), { metadata: { labels: { region: 'eu' } } });
    await eventually(says(own('bundles', 'cache')), [
      'False',
      'Pending(1) [Cluster fleet-default/c4]',
    ]);
    await eventually(statusAt(own('clustergroups', 'eu'), 'clusterCount'), 3);
    await eventually(says(own('clusters', 'c4')), ['False', 'Pending(1) [Bundle cache]']);
    await allRight();
    await deploy(['cache', 'c4']);
    await eventually(says(own('helmops', 'cache')), READY);
    await allRight();
  });
});

describe('a Bundle that is deleted', () => {
  it('counts no more once its deployments have gone', async () => {
    const labs = own('gitrepos', 'labs');
    await remove(upstream, own('bundles', 'labs-b'));
    for (const name of ['c3', 'c4', 'c5']) await remove(upstream, deploymentRef(['labs-b', name]));
    await eventually(statusAt(labs, 'display'), { readyBundleDeployments: '3/3' });
    await eventually(statusAt(own('clusters', 'c5'), 'display'), { readyBundles: '3/3' });
    await allRight();
  });
});

describe('a Cluster that is deleted', () => {
  it('is in no group and target any more, and counts again once it is made again', async () => {
    const [c5, labs, all] = [
      own('clusters', 'c5'),
      own('bundles', 'labs-a'),
      own('clustergroups', 'all'),
    ];
    await remove(upstream, c5);
    const places = ['labs-a', 'tools-agent', 'tools-logs'].map((name): Place => [name, 'c5']);
    for (const place of places) await remove(upstream, deploymentRef(place));
    await eventually(statusAt(all, 'clusterCount'), 5);
    await eventually(statusAt(labs, 'display'), { readyClusters: '2/2' });
    await allRight();
    await makeCluster('c5');
    await eventually(says(c5), [
      'False',
      'Pending(3) [Bundle labs-a]; WaitCheckIn(1) [Cluster fleet-default/c5]',
    ]);
    await eventually(says(labs), ['False', 'Pending(1) [Cluster fleet-default/c5]']);
    await allRight();
    await checkIn('c5');
    await deploy(...places);
    for (const ref of [c5, labs, all]) await eventually(says(ref), READY);
    await allRight();
  });
});

describe('an error of a Bundle itself', () => {
  const [bundle, repo] = [own('bundles', 'tools-logs'), own('gitrepos', 'tools')];

  it('that Fleet has found is kept, and told on the GitRepo, until Fleet says otherwise', async () => {
    const error = 'targeting error: template: no such function';
    const failed = { type: 'Ready', status: 'False', reason: 'Error', message: error };
    await mergeStatus(bundle, { conditions: [failed] });
    await eventually(says(repo), ['False', error]);
    await allRight();
    expect(await says(bundle)()).toEqual(['False', error]);
    await mergeStatus(bundle, { conditions: [{ type: 'Ready', status: 'True' }] });
    await eventually(says(repo), READY);
    await allRight();
  });

  it('in its targets is told, while it keeps what it said of its deployments', async () => {
    const targets = at(await read(upstream, bundle), 'spec', 'targets') ?? [];
    const matchExpressions = [{ key: 'env', operator: 'Is', values: ['prod'] }];
    await edit(upstream, bundle, {
      spec: { targets: [{ clusterSelector: { matchExpressions } }] },
    });
    const told = ['False', expect.stringContaining('targeting error: spec.targets[0]')];
    for (const ref of [bundle, repo]) await eventually(says(ref), told);
    expect(await statusAt(bundle, 'display')()).toEqual({ readyClusters: '6/6' });
    await allRight();
    await edit(upstream, bundle, { spec: { targets } });
    for (const ref of [bundle, repo]) await eventually(says(ref), READY);
    await allRight();
  });
});

it('a Bundle that could never be deployed, as its targets are wrong, says so', async () => {
  const wrong = own('bundles', 'wrong');
  const targets = [{ clusterSelector: { matchExpressions: [{ key: 'env', operator: 'Is' }] } }];
  await apply(upstream, wrong, {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'Bundle',
    metadata: { namespace: wrong.namespace, name: wrong.name },
    spec: { targets },
  });
  const told = ['False', expect.stringContaining('targeting error: spec.targets[0]')];
  await eventually(says(wrong), told);
  await allRight();
  await removeNow(wrong);
});

describe('a GitRepo that is being deleted', () => {
  it('keeps its status, and is no source of Clusters any more once it has gone', async () => {
    const labs = own('gitrepos', 'labs');
    await edit(upstream, labs, { metadata: { finalizers: ['fleet.cattle.io/e2e'] } });
    await removeNow(labs);
    await quiet(stack);
    const before = await statusAt(labs)();
    await agentSays(['labs-a', 'c4'], agentStatus('ErrApplied'));
    const message = 'ErrApplied(1) [Cluster fleet-default/c4: boom]';
    await eventually(says(own('bundles', 'labs-a')), ['False', message]);
    await allRight();
    expect(await statusAt(labs)()).toEqual(before);
    await eventually(statusAt(own('clusters', 'c4'), 'desiredReadyGitRepos'), 2);
    await edit(upstream, labs, { metadata: { finalizers: null } });
    await eventually(statusAt(own('clusters', 'c4'), 'desiredReadyGitRepos'), 1);
    await agentSays(['labs-a', 'c4'], agentStatus('Ready'));
    await allRight();
  });
});

describe('a status that somebody else writes', () => {
  it('is mended: wrong values, and a status that is gone', async () => {
    const bundle = own('bundles', 'shop-web');
    const before = await statusAt(bundle)();
    const summary = { ready: 0, desiredReady: 9, errApplied: 9 };
    const conditions = [{ type: 'Ready', status: 'False', message: 'ErrApplied(9) [Cluster x]' }];
    const display = { readyClusters: '0/9', state: 'ErrApplied' };
    await setStatus(upstream, bundle, { ...Object(before), summary, conditions, display });
    await eventually(says(bundle), READY);
    await setStatus(upstream, own('helmops', 'cache'), {});
    await mergeStatus(own('clustergroups', 'all'), { clusterCount: 0, nonReadyClusters: ['c1'] });
    await allRight();
    expect(await statusAt(bundle, 'summary')()).toEqual({ ready: 2, desiredReady: 2 });
  });

  it('keeps what only Fleet knows', async () => {
    const repo = own('gitrepos', 'tools');
    const partitions = [{ name: 'All', count: 6, summary: { ready: 6, desiredReady: 6 } }];
    await mergeStatus(own('bundles', 'tools-logs'), { partitions, summary: { ready: 1 } });
    await mergeStatus(repo, { pollingCommit: 'abc', desiredReadyClusters: 1 });
    await allRight();
    expect(await statusAt(own('bundles', 'tools-logs'), 'partitions')()).toEqual(partitions);
    expect(await statusAt(repo, 'pollingCommit')()).toBe('abc');
    expect(await says(repo, 'Accepted')()).toEqual(READY);
  });

  it('is followed by no write once everything is right', async () => {
    await quiet(stack);
    const before = await versions();
    await checkIn('c1');
    await pause(2_000);
    await quiet(stack);
    const reported = pathOf(own('clusters', 'c1'));
    expect(await versions()).toEqual({ ...before, [reported]: expect.anything() });
  });
});

describe('the stack, killed and started again', () => {
  const places = CLUSTERS.map((name): Place => ['tools-logs', name]);
  const states = ['NotReady', 'Modified', 'WaitApplied', 'ErrApplied', 'Ready'] as const;

  it('makes all statuses right whatever it was killed in the middle of', async () => {
    for (let round = 1; round <= 4; round += 1) {
      const changes = (async () => {
        for (const state of states.slice(0, round))
          for (const place of places) await agentSays(place, agentStatus(state));
      })();
      // After a time of its own in each round: the first changes, or the last ones, are on their way.
      await Promise.race([changes, pause(60 * round)]);
      await stack.kill();
      await changes;
      await stack.start('write');
      const [first] = await Promise.all([says(own('bundles', 'tools-logs')), allRight()]);
      expect(await first()).toEqual(['False', expect.stringContaining(`${states[round - 1]}(6)`)]);
    }
  });

  it('catches up with what happened while it was down', async () => {
    await stack.kill();
    for (const place of places) await agentSays(place, agentStatus('Ready'));
    await remove(upstream, own('clustergroups', 'eu'));
    await remove(upstream, deploymentRef(['cache', 'c1']));
    await edit(upstream, own('clusters', 'c3'), { metadata: { labels: { env: 'prod' } } });
    const seen = await checkIn('c2', 120);
    await stack.start('write');
    await eventually(says(own('bundles', 'shop-db')), [
      'False',
      `NotReady(1) [Cluster fleet-default/c2: agent last seen ${seen}]; Pending(1) [Cluster fleet-default/c3]`,
    ]);
    await eventually(statusAt(own('helmops', 'cache'), 'desiredReadyClusters'), 3);
    await eventually(statusAt(own('clustergroups', 'production'), 'clusterCount'), 3);
    await allRight();
  });

  it('has had no status refused, and has nothing to warn of', async () => {
    expect(await storedDifferences(stack.file)).toEqual({});
    const warnings = stack.log().split('\n').slice(0, -1);
    const others = warnings.filter(
      (line) => !line.includes('agents of Clusters have become silent'),
    );
    expect(others).toEqual([]);
  });
});
