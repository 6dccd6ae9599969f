import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE } from '#test/unit/fleet/fixtures/parts.ts';
import { pathOf, setStatus } from './clusters.ts';
import { eventually } from './controls.ts';
import { defineFleet } from './fleet/crds.ts';
import { fleetDiff, printedDifferences, storedDifferences } from './fleet/differences.ts';
import {
  agentSays,
  agentStatus,
  clearFleet,
  deploymentRef,
  fleetWrites,
  makeFleet,
  mergeStatus,
  own,
  removeNow,
  upstream,
} from './fleet/played.ts';
import { allRight, quiet, READY, says, statusAt, versions, writtenBy } from './fleet/seen.ts';
import { standingDifferences } from './fleet/statuses.ts';
import { type FleetStackChild, startFleetStackChild } from './stack-child.ts';

let stack: FleetStackChild;
const stored = () => storedDifferences(stack.file);

beforeAll(async () => {
  await defineFleet(upstream);
  await makeFleet();
  stack = await startFleetStackChild(upstream.name, 'compare');
});
afterAll(async () => {
  await stack.dispose();
  await clearFleet();
});

describe('the mode compare', () => {
  const web = own('bundles', 'shop-web');

  it('stores how all statuses differ that Fleet has not written yet', async () => {
    const expected = await standingDifferences(upstream);
    expect(Object.keys(expected)).toHaveLength(20);
    await eventually(stored, expected);
    const { code, stdout, stderr } = await fleetDiff(stack.file, '-o', 'json');
    expect({ code, printed: printedDifferences(stdout) }).toEqual({ code: 1, printed: expected });
    expect(stderr).toContain('20 objects differ');
  });

  it('stores none once Fleet has written the same', async () => {
    await fleetWrites();
    await allRight();
    await eventually(stored, {});
    expect(await fleetDiff(stack.file)).toMatchObject({ code: 0, stdout: 'No differences.\n' });
  });

  it('stores what Fleet says that Starfold does not, until Fleet says otherwise', async () => {
    const status = await statusAt(web)();
    const conditions = [{ type: 'Ready', status: 'False', message: 'WaitApplied(1) [Cluster c1]' }];
    const summary = { ready: 2, waitApplied: 1, desiredReady: 3 };
    await setStatus(upstream, web, { ...Object(status), conditions, summary });
    await eventually(stored, {
      'Bundle fleet-default/shop-web': {
        total: 4,
        differences: [
          {
            field: 'status.conditions[Ready].message',
            fleet: '"WaitApplied(1) [Cluster c1]"',
            starfold: null,
          },
          { field: 'status.conditions[Ready].status', fleet: '"False"', starfold: '"True"' },
          { field: 'status.summary.ready', fleet: '2', starfold: '3' },
          { field: 'status.summary.waitApplied', fleet: '1', starfold: null },
        ],
      },
    });
    const { code, stdout, stderr } = await fleetDiff(stack.file, '--upstream', upstream.name);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('1 object differs'),
    });
    expect(stdout).toMatch(/Bundle\s.*fleet-default\/shop-web\s.*status\.conditions\[Ready\]/);
    await fleetWrites((id) => id === 'Bundle fleet-default/shop-web');
    await eventually(stored, {});
    expect(await fleetDiff(stack.file)).toMatchObject({ code: 0 });
  });

  it('stores what Fleet has not said yet of a deployment that changes, on every level', async () => {
    await agentSays(['shop-web', 'c1'], agentStatus('NotReady'));
    const expected = await standingDifferences(upstream);
    expect(Object.keys(expected).sort()).toEqual([
      'Bundle fleet-default/shop-web',
      'Cluster fleet-default/c1',
      'ClusterGroup fleet-default/all',
      'ClusterGroup fleet-default/eu',
      'ClusterGroup fleet-default/production',
      'GitRepo fleet-default/shop',
    ]);
    await eventually(stored, expected);
    await fleetWrites((id) => id !== 'GitRepo fleet-default/shop');
    await eventually(stored, {
      'GitRepo fleet-default/shop': expected['GitRepo fleet-default/shop'],
    });
  });

  it('writes nothing at all', async () => {
    await quiet(stack);
    const before = await versions();
    await agentSays(['shop-web', 'c1'], agentStatus('Modified'));
    await eventually(stored, await standingDifferences(upstream));
    await quiet(stack);
    const deployment = pathOf(deploymentRef(['shop-web', 'c1']));
    expect(await versions()).toEqual({ ...before, [deployment]: expect.anything() });
    expect(await writtenBy('starfold')).toEqual([]);
  });

  it('becomes the mode write with a restart: what differs is written, and nothing else', async () => {
    await stack.kill();
    await stack.start('write');
    await allRight();
    await eventually(stored, {});
    const names = ['bundles/shop-web', 'clusters/c1', 'gitrepos/shop'];
    const groups = ['all', 'eu', 'production'].map((name) => `clustergroups/${name}`);
    const root = `/apis/fleet.cattle.io/v1alpha1/namespaces/${NAMESPACE}/`;
    const written = [...names, ...groups].map((name) => `${root}${name}`).sort();
    expect([...(await writtenBy('starfold'))].sort()).toEqual(written);
    await agentSays(['shop-web', 'c1'], agentStatus('Ready'));
    await eventually(says(own('gitrepos', 'shop')), READY);
    await allRight();
  });

  it('forgets how an object differed that was deleted while the stack was down', async () => {
    await stack.kill();
    await stack.start('compare');
    const labs = own('gitrepos', 'labs');
    await mergeStatus(labs, { readyClusters: 9 });
    await eventually(stored, { 'GitRepo fleet-default/labs': expect.anything() });
    await stack.kill();
    await removeNow(labs);
    await stack.start('compare');
    const expected = await standingDifferences(upstream);
    expect(Object.keys(expected)).toEqual(['Cluster fleet-default/c4', 'Cluster fleet-default/c5']);
    await eventually(stored, expected);
  });
});
