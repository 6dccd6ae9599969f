import { expect, it } from 'vitest';
import { differencesOf, expectedOf, statusDifferencesOf } from '#local/start/expected.ts';

function world() {
  const ref = { wds: 'wds1', group: '', resource: 'pods', namespace: 'n', name: 'p' };
  const { wds: _wds, ...named } = ref;
  const owner = { apiVersion: 'v1', kind: 'BindingPolicy', name: 'b', uid: 'uid-policy' };
  const binding = {
    metadata: { name: 'b', uid: 'uid-binding', ownerReferences: [owner] },
    spec: {
      destinations: [{ clusterId: 'w' }],
      workload: { namespaceScope: [{ ...named, version: 'v1', statusCollectors: ['c'] }] },
    },
  };
  const metadata = { name: 'p', namespace: 'n', uid: 'uid-pod' };
  return {
    ref,
    object: { apiVersion: 'v1', kind: 'Pod', metadata },
    bindings: [binding],
    collectors: [],
    combinedStatuses: [],
    inWecs: new Map(),
  };
}

it('expects the CombinedStatus of a Binding under the uid of the policy that owns it', () => {
  const { combinedStatuses } = expectedOf(world());
  expect(combinedStatuses.map(({ name }) => name)).toEqual(['uid-pod.uid-policy']);
});

it('compares the status without a CombinedStatus, for which StatusCollectors would be evaluated', () => {
  expect(statusDifferencesOf(world())).toEqual([]);
  expect(differencesOf(world())).toEqual([expect.stringContaining('uid-pod.uid-policy')]);
});
