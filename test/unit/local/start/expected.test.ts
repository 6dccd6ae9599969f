import { expect, it } from 'vitest';
import { expectedOf } from '#local/start/expected.ts';

it('expects the CombinedStatus of a Binding under the uid of the policy that owns it', () => {
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
  const { combinedStatuses } = expectedOf({
    ref,
    object: { apiVersion: 'v1', kind: 'Pod', metadata },
    bindings: [binding],
    collectors: [],
    combinedStatuses: [],
    inWecs: new Map(),
  });
  expect(combinedStatuses.map(({ name }) => name)).toEqual(['uid-pod.uid-policy']);
});
