import { describe, expect, it } from 'vitest';
import { combinedStatus } from '#shared/core/collector/combined-status.ts';
import { labelledSubject } from '#shared/core/collector/labelled-subject.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';

const LONG = `web-${'x'.repeat(100)}`;

function reportOf(workload: WorkloadRef, apiVersion: string): JsonObject {
  const owner = { apiVersion, kind: 'Any', uid: 'uid-1' };
  const binding = { name: 'bp', uid: 'uid-2' };
  return combinedStatus({ workload, owner, binding, results: [] }).object;
}

describe('the subject that a CombinedStatus names', () => {
  it.each([
    ['a short name', 'apps/v1', { group: 'apps', resource: 'deployments', name: 'web' }],
    ['a name of the core group', 'v1', { group: '', resource: 'pods', name: 'web' }],
    ['a name that is too long for a label', 'v1', { group: '', resource: 'pods', name: LONG }],
    [
      'a name with characters that no label has',
      'rbac.authorization.k8s.io/v1',
      { group: 'rbac.authorization.k8s.io', resource: 'roles', name: 'system:reader' },
    ],
    [
      'an API group that is too long for a label',
      `${LONG}.example.com/v1`,
      { group: `${LONG}.example.com`, resource: 'widgets', name: LONG },
    ],
  ])('is its workload object: %s', (_title, apiVersion, names) => {
    const workload = { wds: 'wds1', namespace: 'shop', ...names };
    expect(labelledSubject('wds1', reportOf(workload, apiVersion))).toEqual({
      type: 'workload',
      workload,
    });
  });

  it('is what the labels say if the owner is another object', () => {
    const report = reportOf(
      { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
      'apps/v1',
    );
    const metadata = report['metadata'] as JsonObject;
    const owners = [{ apiVersion: 'v1', kind: 'Pod', name: 'other', uid: 'uid-3' }];
    for (const ownerReferences of [owners, [], undefined, 'none'])
      expect(
        labelledSubject('wds1', {
          ...report,
          metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
        }),
      ).toMatchObject({ workload: { group: 'apps', name: 'web' } });
  });

  it('is none without labels', () => {
    expect(labelledSubject('wds1', { metadata: { name: 'any' } })).toBeUndefined();
    expect(labelledSubject('wds1', undefined)).toBeUndefined();
  });
});
