import { describe, expect, it } from 'vitest';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import { bundle, cluster, gitRepo } from './fixtures/objects.ts';
import { CREATED, condition, counts } from './fixtures/parts.ts';
import { deploymentIn } from './fixtures/states.ts';
import {
  conditionOf,
  deployments,
  FAILED_JOB,
  JOB_IN_PROGRESS,
  KnownFleet,
} from './known-fleet.ts';

describe('the display of a GitRepo', () => {
  it.each<readonly [source: string, objects: readonly JsonObject[], display: JsonObject]>([
    ["Fleet's code: no deployments", [], { readyBundleDeployments: '0/0' }],
    [
      'Fleet, Status Fields, "`status.display`": all Ready',
      deployments('Ready', 'Ready'),
      { readyBundleDeployments: '2/2' },
    ],
    [
      'Fleet, Status Fields, "State Ranking": the worst of all, with its message',
      deployments('NotReady', 'ErrApplied', 'Ready'),
      { readyBundleDeployments: '1/3', state: 'ErrApplied', message: 'boom', error: true },
    ],
    [
      "Fleet's code: a worst state without a message",
      deployments('Modified', 'NotReady'),
      { readyBundleDeployments: '0/2', state: 'Modified' },
    ],
    [
      'docs/fleet.md: targets without a BundleDeployment',
      [bundle(), cluster(), cluster({ name: 'c2' }), ...deployments('Ready')],
      { readyBundleDeployments: '1/2', state: 'Pending' },
    ],
    [
      "Fleet's code: a job that is not done",
      [JOB_IN_PROGRESS, ...deployments('Ready')],
      { readyBundleDeployments: '1/1', state: 'GitUpdating' },
    ],
    [
      'docs/fleet.md: a job that is not done does not hide a state',
      [JOB_IN_PROGRESS, ...deployments('ErrApplied')],
      { readyBundleDeployments: '0/1', state: 'ErrApplied', message: 'boom', error: true },
    ],
    [
      'docs/fleet.md: a job that failed, with its message',
      [FAILED_JOB, ...deployments('Ready')],
      {
        readyBundleDeployments: '1/1',
        state: 'GitUpdating',
        message: 'Job Failed. failed: 1/1',
        error: true,
      },
    ],
    [
      'docs/fleet.md: a job that failed tells its error beside a state without a message',
      [FAILED_JOB, ...deployments('NotReady')],
      {
        readyBundleDeployments: '0/1',
        state: 'NotReady',
        message: 'Job Failed. failed: 1/1',
        error: true,
      },
    ],
    [
      'docs/fleet.md: a job that failed does not hide a message',
      [FAILED_JOB, ...deployments('ErrApplied')],
      { readyBundleDeployments: '0/1', state: 'ErrApplied', message: 'boom', error: true },
    ],
  ])('%s', (_source, objects, display) => {
    expect(new KnownFleet(gitRepo(), ...objects).fields('GitRepo', 'shop')['display']).toEqual(
      display,
    );
  });

  it("has the message of the first of the worst by UID (Fleet's code)", () => {
    const [first, second] = ['uid-2', 'uid-1'].map((uid, index) =>
      deploymentIn('ErrApplied', {
        cluster: `c${index + 1}`,
        metadata: { uid },
        status: { conditions: [condition('Deployed', 'False', { message: `of ${uid}` })] },
      }),
    ) as [JsonObject, JsonObject];
    const { display } = new KnownFleet(gitRepo(), first, second).fields('GitRepo', 'shop');
    expect(textAt(display, 'message')).toBe('of uid-1');
  });
});

const STALLED = condition('Stalled', 'True', { message: 'no kustomization.yaml' });

describe('the other fields of a GitRepo', () => {
  it('are its clusters, summary and resources (Fleet, Status Fields, "Ready", "Resource Counts")', () => {
    const fleet = new KnownFleet(gitRepo(), ...deployments('Ready', 'NotReady', 'Ready'));
    fleet.put(deploymentIn('Modified', { name: 'base', cluster: 'c3' }));
    const cell = { ready: 2, desiredReady: 2 };
    expect(fleet.fields('GitRepo', 'shop')).toMatchObject({
      observedGeneration: 1,
      readyClusters: 1,
      desiredReadyClusters: 3,
      summary: {
        ready: 2,
        notReady: 1,
        modified: 1,
        desiredReady: 4,
      },
      resourceCounts: counts({ ready: 6, notReady: 1, modified: 1, desiredReady: 8 }),
      perClusterResourceCounts: {
        'fleet-default/c1': counts(cell),
        'fleet-default/c2': counts({ ready: 1, notReady: 1, desiredReady: 2 }),
        'fleet-default/c3': counts({ ready: 3, modified: 1, desiredReady: 4 }),
      },
      gitJobStatus: 'Current',
    });
    const resources = fleet.fields('GitRepo', 'shop')['resources'] as readonly JsonObject[];
    expect(resources.map((one) => [textAt(one, 'id'), textAt(one, 'state')])).toEqual([
      ['shop/web', 'updating'],
      ['shop/settings', 'Modified'],
    ]);
  });

  it('name deployments by UID in the summary (Fleet, Status Fields, "Ready Condition")', () => {
    const fleet = new KnownFleet(gitRepo(), ...deployments('NotReady', 'ErrApplied'));
    const summary = fleet.fields('GitRepo', 'shop')['summary'];
    expect(at(summary, 'nonReadyResources')).toMatchObject([
      { name: 'shop', bundleState: 'ErrApplied' },
      { name: 'shop', bundleState: 'NotReady' },
    ]);
  });

  it('are absent if there are no clusters and resources, and the job is unknown', () => {
    const none = gitRepo({ status: { gitJobStatus: '', observedGeneration: null } });
    const fleet = new KnownFleet(none);
    const fields = fleet.fields('GitRepo', 'shop');
    expect(Object.keys(fields)).toEqual([
      'observedGeneration',
      'readyClusters',
      'desiredReadyClusters',
      'summary',
      'display',
      'resourceCounts',
    ]);
    expect(fields['resourceCounts']).toEqual(NO_RESOURCES);
    expect(fleet.desired('GitRepo', 'shop')?.absent).toEqual([
      'resources',
      'perClusterResourceCounts',
    ]);
  });

  it('count a deployment without cluster labels under / and in no cluster (docs/fleet.md)', () => {
    const fleet = new KnownFleet(
      gitRepo(),
      deploymentIn('Ready', { cluster: '', metadata: { namespace: 'elsewhere' } }),
    );
    expect(fleet.fields('GitRepo', 'shop')).toMatchObject({
      readyClusters: 0,
      desiredReadyClusters: 0,
      summary: { ready: 1, desiredReady: 1 },
      perClusterResourceCounts: { '/': counts() },
    });
  });

  it('have the conditions of its progress', () => {
    const desired = new KnownFleet(
      gitRepo({ status: { conditions: [STALLED] } }),
      FAILED_JOB,
    ).desired('GitRepo', 'shop');
    expect(desired?.conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'Ready False',
      'Reconciling False',
      'Stalled True',
    ]);
    expect(conditionOf(desired, 'Stalled')?.message).toBe('no kustomization.yaml');
  });

  it.each<readonly [source: string, object: JsonObject]>([
    ["Fleet's code: it is being deleted", gitRepo({ metadata: { deletionTimestamp: CREATED } })],
    ["Fleet's code: it names no repository", gitRepo({ spec: { repo: '' } })],
    [
      "Fleet's code: it is not accepted",
      gitRepo({ status: { conditions: [condition('Accepted', 'False', { message: 'denied' })] } }),
    ],
  ])('are left as they are: %s', (_source, object) => {
    expect(
      new KnownFleet(object, ...deployments('Ready')).desired('GitRepo', 'shop'),
    ).toBeUndefined();
  });
});
