import { describe, expect, it } from 'vitest';
import { downsyncObject } from '#shared/core/binding/downsync-object.ts';
import { objectKey } from '#shared/core/workload.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

describe('downsyncObject', () => {
  it('takes names, labels and versions from the metadata', () => {
    const metadata = {
      name: 'web',
      namespace: 'shop',
      uid: 'uid',
      resourceVersion: '7',
      labels: { app: 'web', odd: 7 },
    };
    expect(downsyncObject(DEPLOYMENTS, { metadata }, 'hash')).toEqual({
      ...DEPLOYMENTS,
      namespace: 'shop',
      name: 'web',
      uid: 'uid',
      resourceVersion: '7',
      labels: { app: 'web' },
      contentKey: 'hash',
      deleting: false,
    });
  });

  it('of a cluster-scoped object without labels that is being deleted', () => {
    const metadata = { name: 'shop', deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(downsyncObject(DEPLOYMENTS, { metadata }, 'hash')).toMatchObject({
      namespace: '',
      labels: {},
      deleting: true,
    });
  });

  it('has one key whatever the version', () => {
    const object = downsyncObject(DEPLOYMENTS, { metadata: { name: 'web' } }, 'hash');
    expect(objectKey(object)).toBe('apps/deployments//web');
    expect(objectKey({ ...object, namespace: 'shop' })).toBe('apps/deployments/shop/web');
  });
});
