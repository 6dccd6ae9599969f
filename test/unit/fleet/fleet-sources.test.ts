import { describe, expect, it } from 'vitest';
import { NO_LIST } from '#shared/core/field-messages.ts';
import { type DesiredStatus, statusWith } from '#shared/core/fleet/desired-status.ts';
import { NO_TARGETS, targetingError } from '#shared/core/fleet/messages.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { bundle, gitJob, gitRepo, helmOp } from './fixtures/objects.ts';
import { CREATED, condition } from './fixtures/parts.ts';
import { deploymentIn } from './fixtures/states.ts';
import { FAILED_JOB, KnownFleet, SHOP_IN_PROD, shopFleet } from './known-fleet.ts';

/** Metadata of what was made after everything else. */
const LATER = { creationTimestamp: '2026-11-21T11:00:00Z' };

describe('the git job of a GitRepo', () => {
  const failed = FAILED_JOB['status'] as JsonObject;
  const message = (known: KnownFleet) => known.message('GitRepo', 'shop');

  it('is the one that was made last, then the first by name', () => {
    const known = shopFleet();
    known.put(gitJob({ name: 'shop-2', metadata: LATER, status: failed }));
    expect(message(known)).toBe('Job Failed. failed: 1/1');
    known.put(gitJob({ name: 'shop-1', metadata: LATER }));
    expect(message(known)).toBe('');
    known.remove(gitJob({ name: 'shop-1' }));
    expect(message(known)).toBe('Job Failed. failed: 1/1');
    known.remove(gitJob({ name: 'shop-2' }));
    expect(message(known)).toBe('');
  });

  it.each<readonly [what: string, owners: readonly JsonObject[]]>([
    ['of another GitRepo', [{ kind: 'GitRepo', name: 'base' }]],
    ['of another kind', [{ kind: 'CronJob', name: 'shop' }]],
    ['of a GitRepo without a name', [{ kind: 'GitRepo' }]],
    ['of nothing', []],
  ])('is none that is %s', (_what, ownerReferences) => {
    const known = shopFleet();
    known.put(gitJob({ name: 'other', metadata: { ...LATER, ownerReferences }, status: failed }));
    expect(message(known)).toBe('');
  });

  it('is one of its namespace', () => {
    const known = shopFleet();
    known.put(gitJob({ namespace: 'fleet-local', metadata: LATER, status: failed }));
    expect(message(known)).toBe('');
  });

  it('belongs to the GitRepo that owns it now', () => {
    const known = shopFleet();
    known.put(FAILED_JOB);
    const ownerReferences = [{ kind: 'GitRepo', name: 'base' }];
    known.put(gitJob({ metadata: { ownerReferences }, status: failed }));
    expect(message(known)).toBe('');
  });
});

describe('the error of a Bundle', () => {
  const broken = (uid: string, name: string, repo = 'shop') =>
    bundle({
      ...{ name, repo, spec: { targets: [] }, metadata: { uid } },
      status: {
        conditions: [condition('Ready', 'False', { reason: 'Error', message: `${name} fails` })],
      },
    });

  it('is that of the first by UID, then by name', () => {
    const known = shopFleet();
    known.put(broken('uid-2', 'a'), broken('uid-1', 'c'), broken('uid-1', 'b'));
    expect(known.message('GitRepo', 'shop')).toBe('b fails');
    known.remove(broken('uid-1', 'b'));
    expect(known.message('GitRepo', 'shop')).toBe('c fails');
  });

  it('is of the GitRepo that its label names now', () => {
    const known = shopFleet();
    known.put(broken('uid-1', 'b'));
    known.put(broken('uid-1', 'b', 'base'));
    expect(known.message('GitRepo', 'shop')).toBe('');
    known.put(broken('uid-1', 'b', ''));
    expect(known.message('GitRepo', 'shop')).toBe('');
  });

  it('is of the HelmOp that its label names, too (docs/fleet.md)', () => {
    const ofHelmOp = (uid: string): JsonObject => {
      const object = broken(uid, 'cache', '');
      const labels = { 'fleet.cattle.io/fleet-helm-name': 'cache' };
      return { ...object, metadata: { ...(object['metadata'] as JsonObject), labels } };
    };
    const known = new KnownFleet(helmOp({ name: 'cache' }), ofHelmOp('uid-1'));
    expect(known.message('HelmOp', 'cache')).toBe('cache fails');
    known.remove(ofHelmOp('uid-1'));
    expect(known.message('HelmOp', 'cache')).toBe(NO_TARGETS);
  });

  it('names Clusters only while there are Bundles', () => {
    const known = shopFleet();
    known.put(deploymentIn('ErrApplied'));
    expect(known.message('GitRepo', 'shop')).toBe('ErrApplied(1) [Cluster fleet-default/c1: boom]');
    known.remove(SHOP_IN_PROD);
    expect(known.message('GitRepo', 'shop')).toBe('ErrApplied(1) [Bundle shop: boom]');
  });

  it('goes with what was wrong with its targets, also if it has been written to its status', () => {
    const known = shopFleet();
    const faulty = bundle({ spec: { targets: 'all' } });
    known.put(faulty);
    const desired = known.desired('Bundle', 'shop') as DesiredStatus;
    const status = statusWith(faulty['status'], desired, CREATED);
    expect(known.message('Bundle', 'shop')).toBe(targetingError([`spec.targets: ${NO_LIST}`]));
    known.put(bundle({ spec: { targets: [] }, status }));
    expect([known.message('Bundle', 'shop'), known.message('GitRepo', 'shop')]).toEqual(['', '']);
  });

  it('leaves a GitRepo that is being deleted as it is', () => {
    const known = shopFleet();
    known.put(gitRepo({ metadata: { deletionTimestamp: CREATED } }));
    expect(known.desired('GitRepo', 'shop')).toBeUndefined();
  });
});
