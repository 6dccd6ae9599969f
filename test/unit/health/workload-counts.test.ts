import { expect, it } from 'vitest';
import {
  addWorkloads,
  boundedCounts,
  MAX_COUNTED_RESOURCES,
  withEnded,
} from '#shared/core/health/workload-counts.ts';

const workload = (resource: string, verdict?: string) => ({ resource, verdict });

it('workload objects are counted by resource and verdict; a verdict that is not known yet counts as None', () => {
  const first = addWorkloads([], [workload('deployments.apps', 'Healthy'), workload('services')]);
  const counts = addWorkloads(first, [
    workload('deployments.apps', 'Healthy'),
    workload('deployments.apps', 'Degraded'),
    workload('services', 'None'),
  ]);
  expect(boundedCounts(counts)).toEqual([
    { resource: 'deployments.apps', verdict: 'Degraded', objects: 1 },
    { resource: 'deployments.apps', verdict: 'Healthy', objects: 2 },
    { resource: 'services', verdict: 'None', objects: 2 },
  ]);
});

it('the resources with the most objects are counted separately, and all others together', () => {
  const names = Array.from({ length: MAX_COUNTED_RESOURCES + 2 }, (_, index) => `r${index + 10}s`);
  const counts = addWorkloads(
    [],
    names.flatMap((name, index) =>
      Array.from({ length: names.length - index }, () => workload(name, 'Healthy')),
    ),
  );
  const bounded = boundedCounts(counts);
  expect(bounded).toHaveLength(MAX_COUNTED_RESOURCES + 1);
  expect(bounded[0]).toEqual({ resource: 'other', verdict: 'Healthy', objects: 1 + 2 });
  expect(bounded.slice(1).map(({ resource }) => resource)).toEqual(
    names.slice(0, MAX_COUNTED_RESOURCES),
  );
});

it('of resources with as many objects, the first ones by name are counted separately', () => {
  const names = Array.from({ length: MAX_COUNTED_RESOURCES + 1 }, (_, index) => `r${index + 10}s`);
  const counts = addWorkloads(
    [],
    [...names.slice(5).toReversed(), ...names.slice(0, 5)].map((name) => workload(name, 'Healthy')),
  );
  expect(boundedCounts(counts).map(({ resource }) => resource)).toEqual([
    'other',
    ...names.slice(0, MAX_COUNTED_RESOURCES),
  ]);
});

it('a series that was there before ends at 0, once', () => {
  const before = [
    { resource: 'services', verdict: 'Healthy', objects: 3 },
    { resource: 'services', verdict: 'Degraded', objects: 1 },
  ];
  const counts = [{ resource: 'services', verdict: 'Healthy', objects: 4 }];
  const published = withEnded(counts, before);
  expect(published).toEqual([...counts, { resource: 'services', verdict: 'Degraded', objects: 0 }]);
  expect(withEnded(counts, published)).toEqual(counts);
});
