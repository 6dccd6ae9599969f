import { describe, expect, it } from 'vitest';
import { parseWorkloadKey, workloadKey, workloadTitle } from '#shared/core/workload.ts';

describe('workloadKey', () => {
  it.each([
    {
      ref: { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
      key: 'wds1/apps/deployments/shop/web',
      title: 'deployments.apps shop/web',
    },
    {
      ref: { wds: 'wds1', group: '', resource: 'namespaces', namespace: '', name: 'shop' },
      key: 'wds1//namespaces//shop',
      title: 'namespaces shop',
    },
  ])('of $key goes there and back, and has a title', ({ ref, key, title }) => {
    expect(workloadTitle(ref)).toBe(title);
    expect(workloadKey(ref)).toBe(key);
    expect(parseWorkloadKey(key)).toEqual(ref);
  });

  it.each([
    '',
    'wds1',
    'wds1/apps',
    'wds1/apps/deployments',
    'wds1/apps/deployments/shop',
    'wds1/apps/deployments/shop/',
    '/apps/deployments/shop/web',
    'wds1/apps//shop/web',
    'wds1/apps/deployments/shop/web/more',
  ])('"%s" is none', (key) => {
    expect(() => parseWorkloadKey(key)).toThrow(RangeError);
  });
});
