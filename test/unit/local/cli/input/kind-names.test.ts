import { describe, expect, it } from 'vitest';
import { createResourceNames } from '#local/cli/input/kind-names.ts';
import { BUILT_IN_RESOURCES } from '#local/simulated-cluster/built-in-resources.ts';

describe('the resource name of a kind', () => {
  const resourceOf = createResourceNames([
    { spec: { group: 'example.com', names: { kind: 'Mouse', plural: 'mice' } } },
  ]);

  it.each(BUILT_IN_RESOURCES)('is $resource for $kind, as Kubernetes has it', (one) => {
    expect(resourceOf(one.group, one.kind)).toBe(one.resource);
  });

  it.each([
    ['example.com', 'Mouse', 'mice'],
    ['other.example.com', 'Mouse', 'mouses'],
    ['gateway.networking.k8s.io', 'Gateway', 'gateways'],
    ['networking.k8s.io', 'IPAddress', 'ipaddresses'],
    ['metrics.k8s.io', 'PodMetrics', 'pods'],
    ['example.com', 'Canary', 'canaries'],
    ['example.com', 'Box', 'boxes'],
    ['example.com', 'Batch', 'batches'],
  ])('of %s %s is %s', (group, kind, resource) => {
    expect(resourceOf(group, kind)).toBe(resource);
  });
});
