import { expect, it } from 'vitest';
import { parseResourceName, resourceName } from '#shared/core/resource-name.ts';

it.each([
  ['deployments.apps/v1', { group: 'apps', version: 'v1', resource: 'deployments' }],
  ['services/v1', { group: '', version: 'v1', resource: 'services' }],
  [
    'widgets.a.example.com/v1beta1',
    { group: 'a.example.com', version: 'v1beta1', resource: 'widgets' },
  ],
])('%s is a resource, and called so', (text, resource) => {
  expect(parseResourceName(text)).toEqual(resource);
  expect(resourceName(resource)).toBe(text);
});

it.each(['', 'pods', 'pods/', 'Pods/v1', 'apps/v1/deployments', 'deployments.apps/1'])(
  '%j is none',
  (text) => {
    expect(parseResourceName(text)).toBeUndefined();
  },
);
