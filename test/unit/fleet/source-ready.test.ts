import { describe, expect, it } from 'vitest';
import { NO_CRITERIA, NO_TARGETS, targetingError } from '#shared/core/fleet/messages.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { bundle, cluster, gitRepo, helmOp } from './fixtures/objects.ts';
import { condition } from './fixtures/parts.ts';
import { deploymentIn } from './fixtures/states.ts';
import {
  conditionOf,
  deployments,
  FAILED_JOB,
  JOB_IN_PROGRESS,
  KnownFleet,
  SILENT,
} from './known-fleet.ts';

describe('the condition Ready of a GitRepo', () => {
  const faulty = bundle({ name: 'base', spec: { targets: ['all'] }, metadata: { uid: 'uid-1' } });
  const broken = bundle({
    name: 'app',
    metadata: { uid: 'uid-2' },
    status: {
      conditions: [condition('Ready', 'False', { reason: 'Error', message: 'template fails' })],
    },
  });
  const targeting = targetingError([`spec.targets[0]: ${NO_CRITERIA}`]);

  it.each<readonly [source: string, objects: readonly JsonObject[], status: string]>([
    ['docs/fleet.md: no targets', [], `True NoTargets ${NO_TARGETS}`],
    ['docs/fleet.md: a Bundle without targets', [bundle()], `True NoTargets ${NO_TARGETS}`],
    ['Fleet, Status Fields: all Ready', deployments('Ready'), 'True '],
    [
      'docs/fleet.md: without its Bundles it names Bundles',
      deployments('Ready', 'ErrApplied'),
      'False ErrApplied(1) [Bundle shop: boom]',
    ],
    [
      'docs/fleet.md: with its Bundles it names Clusters',
      [bundle(), ...deployments('Ready', 'ErrApplied')],
      'False ErrApplied(1) [Cluster fleet-default/c2: boom]',
    ],
    [
      'docs/fleet.md: all its deployments, not those of one Bundle',
      [bundle(), ...deployments('WaitApplied', 'ErrApplied', 'WaitApplied')],
      'False ErrApplied(1) [Cluster fleet-default/c2: boom]; WaitApplied(2) [Cluster fleet-default/c1]',
    ],
    [
      'docs/fleet.md: a target without a BundleDeployment',
      [bundle(), cluster()],
      'False Pending(1) [Cluster fleet-default/c1]',
    ],
    [
      'docs/fleet.md: an agent that has fallen silent',
      [bundle(), cluster({ status: SILENT }), ...deployments('Ready')],
      'False NotReady(1) [Cluster fleet-default/c1: agent last seen 2026-11-21T10:00:00Z]',
    ],
    [
      'Fleet, Status Fields: the git job failed',
      [FAILED_JOB, ...deployments('ErrApplied')],
      'False Error Job Failed. failed: 1/1',
    ],
    [
      'Fleet, Status Fields: a job in progress is no error',
      [JOB_IN_PROGRESS, ...deployments('Ready')],
      'True ',
    ],
    [
      "Fleet's code: an error of a Bundle",
      [bundle(), broken, ...deployments('NotReady')],
      'False Error template fails',
    ],
    [
      "Fleet's code: the error of the first Bundle by UID",
      [broken, faulty],
      `False Error ${targeting}`,
    ],
    [
      'docs/fleet.md: the job before the Bundles',
      [broken, FAILED_JOB],
      'False Error Job Failed. failed: 1/1',
    ],
  ])('%s', (_source, objects, said) => {
    const desired = new KnownFleet(gitRepo(), ...objects).desired('GitRepo', 'shop');
    const { status, reason, message } = conditionOf(desired, 'Ready') ?? {};
    const texts = [status, reason, message].filter((text) => text !== undefined);
    expect(texts.join(' ')).toBe(said);
  });
});

describe('the status of a HelmOp', () => {
  const ofHelmOp = { repo: '', helmOp: 'cache' };
  const inC1 = deploymentIn('Ready', { name: 'cache', ...ofHelmOp });
  const inC2 = deploymentIn('ErrApplied', { name: 'cache', ...ofHelmOp, cluster: 'c2' });

  it('is that of its deployments (Fleet, Status Fields, "HelmOp")', () => {
    const fleet = new KnownFleet(helmOp(), inC1, inC2, ...deployments('Ready'));
    const fields = fleet.fields('HelmOp', 'cache');
    expect(fields).toMatchObject({
      readyClusters: 1,
      desiredReadyClusters: 2,
      summary: { ready: 1, errApplied: 1, desiredReady: 2 },
      display: {
        readyBundleDeployments: '1/2',
        state: 'ErrApplied',
        message: 'boom',
        error: true,
      },
    });
    // Those of a GitRepo alone.
    expect(Object.hasOwn(fields, 'gitJobStatus')).toBe(false);
    expect(Object.hasOwn(fields, 'observedGeneration')).toBe(false);
  });

  it.each<readonly [source: string, objects: readonly JsonObject[], message: string]>([
    ['docs/fleet.md: no targets', [], NO_TARGETS],
    ['Fleet, Status Fields: all Ready', [inC1], ''],
    ["Fleet's code: it names Bundles", [inC1, inC2], 'ErrApplied(1) [Bundle cache: boom]'],
    [
      'docs/fleet.md: a target without a BundleDeployment',
      [bundle({ name: 'cache', ...ofHelmOp }), cluster()],
      'Pending(1) [Bundle cache]',
    ],
  ])('has the message of %s', (_source, objects, message) => {
    expect(new KnownFleet(helmOp(), ...objects).message('HelmOp', 'cache')).toBe(message);
  });

  it('has the conditions of its polling', () => {
    const conditions = [condition('Polled', 'False', { message: 'no such chart' })];
    const desired = new KnownFleet(helmOp({ status: { conditions } })).desired('HelmOp', 'cache');
    expect(conditionOf(desired, 'Stalled')?.message).toBe('no such chart');
    expect(conditionOf(desired, 'Reconciling')?.status).toBe('False');
  });
});
