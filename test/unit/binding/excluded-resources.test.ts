import { describe, expect, it } from 'vitest';
import { isDownsyncable } from '#shared/core/binding/excluded-resources.ts';

describe('isDownsyncable', () => {
  it.each([
    ['flowcontrol.apiserver.k8s.io', 'flowschemas'],
    ['discovery.k8s.io', 'endpointslices'],
    ['apiregistration.k8s.io', 'apiservices'],
    ['coordination.k8s.io', 'leases'],
    ['control.kubestellar.io', 'bindingpolicies'],
    ['', 'events'],
    ['events.k8s.io', 'events'],
    ['', 'nodes'],
    ['cluster.open-cluster-management.io', 'managedclusters'],
    ['', 'endpoints'],
    ['storage.k8s.io', 'csistoragecapacities'],
    ['storage.k8s.io', 'csinodes'],
  ])('keeps %s/%s where it is', (group, resource) => {
    expect(isDownsyncable(group, resource)).toBe(false);
  });

  it.each([
    ['', 'namespaces'],
    ['apps', 'deployments'],
    ['storage.k8s.io', 'storageclasses'],
    ['metrics.example.org', 'nodes'],
    ['constructor', 'events'],
  ])('lets %s/%s go', (group, resource) => {
    expect(isDownsyncable(group, resource)).toBe(true);
  });
});
