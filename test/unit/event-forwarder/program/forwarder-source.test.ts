import { expect, it } from 'vitest';
import { forwarderSource } from '#functions/event-forwarder/program/forwarder-source.ts';

it.each([
  [{ type: 'wds', name: 'wds1' } as const, { type: 'wds', name: 'wds1' }],
  [{ type: 'fleet', name: 'f1' } as const, { type: 'fleet', name: 'f1' }],
  [{ type: 'its', name: 'its1', wds: 'wds1' } as const, { type: 'its', name: 'its1', wds: 'wds1' }],
  [{ type: 'its', name: 'its1' } as const, { type: 'its', name: 'its1' }],
  [
    { type: 'wec', name: 'c1', select: { appliedManifestWorks: true } } as const,
    { type: 'wec', name: 'c1', appliedManifestWorks: true },
  ],
  [
    {
      type: 'wec',
      name: 'c1',
      wds: 'wds1',
      select: {
        appliedManifestWorks: false,
        labelSelector: 'a=b',
        resources: ['deployments.apps/v1', 'services/v1'],
      },
    } as const,
    {
      type: 'wec',
      name: 'c1',
      wds: 'wds1',
      labelSelector: 'a=b',
      resources: [
        { group: 'apps', version: 'v1', resource: 'deployments' },
        { group: '', version: 'v1', resource: 'services' },
      ],
    },
  ],
])('%j is watched as %j', (configured, watched) => {
  expect(forwarderSource({ ...configured } as Parameters<typeof forwarderSource>[0])).toEqual(
    watched,
  );
});
