import { describe, expect, it } from 'vitest';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { NO_STRING } from '#shared/core/field-messages.ts';
import { policyErrors } from '#shared/core/schema/policy-errors.ts';

function errors(...downsync: readonly { apiGroup?: string; resources: readonly string[] }[]) {
  const spec = { downsync: downsync.map((clause) => ({ ...clause })) };
  return policyErrors(parseBindingPolicy({ metadata: { name: 'p' }, spec }));
}

describe('a resource that Kubernetes does not have, in a BindingPolicy', () => {
  it.each([
    ['apps', 'deploymnets', ' in apps; did you mean deployments of apps?'],
    ['apps', 'Deployment', ' in apps; did you mean deployments of apps?'],
    ['apps', 'jobs', ' in apps; did you mean jobs of batch?'],
    ['', 'deployments', ' in the core group; did you mean deployments of apps?'],
    ['app', 'deployments', ' in app; did you mean deployments of apps?'],
    ['app', 'Deployment', ' in app; did you mean deployments of apps?'],
    ['core', 'pods', ' in core; did you mean pods of the core group, ""?'],
    ['app', 'things', undefined],
    ['autoscaling', 'pod', undefined],
    ['example.com', 'deploymnets', undefined],
    ['apps', 'deployments', undefined],
    ['apps', '*', undefined],
  ])('is an error with a suggestion: %s %s', (apiGroup, resource, fault) => {
    const texts =
      fault === undefined ? [] : [`spec.downsync: Kubernetes has no ${resource}${fault}`];
    expect(errors({ apiGroup, resources: [resource] })).toEqual(texts);
  });

  it.each([
    ['app', 'apps'],
    ['core', '""'],
    ['apps', undefined],
    ['networking.k8s.oi', undefined],
  ])('may be all of a group, which has no dot: %s', (apiGroup, meant) => {
    const text = `spec.downsync: Kubernetes has no group ${apiGroup}; did you mean ${meant}?`;
    const texts = meant === undefined ? [] : [text];
    expect(errors({ apiGroup, resources: ['*'] }, { resources: ['*'] })).toEqual(texts);
  });

  it.each([
    ['deploymnets', 'deployments of apps'],
    ['configmap', 'configmaps of the core group'],
    // A custom resource may have this name.
    ['routes', undefined],
    ['deployments', undefined],
  ])('is one without a group only if one character differs: %s', (resource, meant) => {
    const text = `spec.downsync: Kubernetes has no ${resource}; did you mean ${meant}? If it is a custom resource, give its apiGroup`;
    expect(errors({ resources: [resource] })).toEqual(meant === undefined ? [] : [text]);
  });

  it('is listed once, after the errors of the policy, and at most twenty times', () => {
    const twice = { apiGroup: 'apps', resources: ['deploymnets'] };
    const [first, ...others] = errors(
      twice,
      { ...twice, resources: ['deploymnets'] },
      {
        apiGroup: 1 as never,
        resources: ['pods'],
      },
    );
    expect(first).toContain(`spec.downsync[2].apiGroup: ${NO_STRING}`);
    expect(others).toHaveLength(1);
    const many = Array.from({ length: 30 }, (_one, index) => `deployments${index}`);
    expect(errors({ apiGroup: 'apps', resources: many })).toHaveLength(20);
  });
});
