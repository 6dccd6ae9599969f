import { describe, expect, it } from 'vitest';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { bindingObject, sameBinding } from '#shared/core/binding/binding-object.ts';
import type { ResolvedBinding, ResolvedObject } from '#shared/core/binding/resolved-binding.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOTHING_ASKED = {
  createOnly: false,
  statusCollectors: [],
  wantSingletonReportedState: false,
  wantMultiWECReportedState: false,
};
const WEB: ResolvedObject = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
  resourceVersion: '7',
  modulation: {
    createOnly: true,
    statusCollectors: ['a', 'b'],
    wantSingletonReportedState: true,
    wantMultiWECReportedState: true,
  },
};
const NAMESPACE: ResolvedObject = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  namespace: '',
  name: 'shop',
  resourceVersion: '5',
  modulation: NOTHING_ASKED,
};
const POLICY = { name: 'nginx', uid: 'policy-uid' };
const RESOLVED: ResolvedBinding = { destinations: ['wec1', 'wec2'], objects: [NAMESPACE, WEB] };
const OWNER = {
  apiVersion: 'control.kubestellar.io/v1alpha1',
  kind: 'BindingPolicy',
  name: 'nginx',
  uid: 'policy-uid',
  controller: true,
  blockOwnerDeletion: false,
};
const NAMESPACE_ENTRY = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  name: 'shop',
  resourceVersion: '5',
};
const WEB_ENTRY = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
  resourceVersion: '7',
  createOnly: true,
  statusCollectors: ['a', 'b'],
  wantSingletonReportedState: true,
  wantMultiWECReportedState: true,
};
const DESTINATIONS = [{ clusterId: 'wec1' }, { clusterId: 'wec2' }];

/** The Binding as an API server would give it back, with other parts in its spec. */
function standing(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'nginx', resourceVersion: '9', ownerReferences: [OWNER], ...metadata },
    spec: {
      destinations: DESTINATIONS,
      workload: { clusterScope: [NAMESPACE_ENTRY], namespaceScope: [WEB_ENTRY] },
      ...spec,
    },
    status: { observedGeneration: 3 },
  };
}

const WANTED = bindingObject(POLICY, RESOLVED);

function workload(namespaceScope: JsonValue): JsonObject {
  return { workload: { clusterScope: [NAMESPACE_ENTRY], namespaceScope } };
}

describe('bindingObject', () => {
  it('is controlled by the policy and distinguishes both scopes', () => {
    expect(WANTED).toEqual({
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'Binding',
      metadata: { name: 'nginx', ownerReferences: [OWNER] },
      spec: {
        destinations: DESTINATIONS,
        workload: { clusterScope: [NAMESPACE_ENTRY], namespaceScope: [WEB_ENTRY] },
      },
    });
  });

  it('leaves out lists of objects that would be empty', () => {
    expect(bindingObject(POLICY, { destinations: [], objects: [] })['spec']).toEqual({
      destinations: [],
      workload: {},
    });
  });

  it('is read back as what was resolved', () => {
    const { createOnly: _createOnly, ...nothingElse } = NOTHING_ASKED;
    expect(parseBinding(WANTED)).toMatchObject({
      destinations: ['wec1', 'wec2'],
      objects: [
        { name: 'shop', namespace: '', modulation: nothingElse },
        { name: 'web', namespace: 'shop', modulation: { statusCollectors: ['a', 'b'] } },
      ],
      errors: [],
    });
  });
});

describe('sameBinding', () => {
  it.each<[string, JsonObject]>([
    ['as it was written', standing({})],
    ['in another order', standing({ destinations: DESTINATIONS.toReversed() })],
    [
      'with collectors in another order',
      standing(workload([{ ...WEB_ENTRY, statusCollectors: ['b', 'a', 'b'] }])),
    ],
    [
      'with what is empty written out',
      standing({
        workload: {
          clusterScope: [{ ...NAMESPACE_ENTRY, createOnly: false, statusCollectors: [] }],
          namespaceScope: [WEB_ENTRY],
        },
      }),
    ],
    ['with another owner too', standing({}, { ownerReferences: [{ kind: 'Other' }, OWNER] })],
    ['with labels', standing({}, { labels: { a: 'b' } })],
  ])('takes a Binding %s for the same', (_what, binding) => {
    expect(sameBinding(binding, WANTED)).toBe(true);
  });

  it('takes an owner that does not say whether it blocks deletion for the same', () => {
    const { blockOwnerDeletion: _blocks, ...owner } = OWNER;
    expect(sameBinding(standing({}, { ownerReferences: [owner] }), WANTED)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['without a WEC', standing({ destinations: [{ clusterId: 'wec1' }] })],
    ['with one WEC more', standing({ destinations: [...DESTINATIONS, { clusterId: 'wec3' }] })],
    ['with what is no WEC', standing({ destinations: [...DESTINATIONS, 'wec3'] })],
    ['without an object', standing(workload([]))],
    ['without a cluster-scoped object', standing({ workload: { namespaceScope: [WEB_ENTRY] } })],
    ['without a list', standing({ workload: {} })],
    ['with one object more', standing(workload([WEB_ENTRY, { ...WEB_ENTRY, name: 'api' }]))],
    ['with another version', standing(workload([{ ...WEB_ENTRY, version: 'v1beta1' }]))],
    ['with another resourceVersion', standing(workload([{ ...WEB_ENTRY, resourceVersion: '8' }]))],
    ['without a resourceVersion', standing(workload([{ ...WEB_ENTRY, resourceVersion: null }]))],
    ['with another flag', standing(workload([{ ...WEB_ENTRY, createOnly: false }]))],
    ['with fewer collectors', standing(workload([{ ...WEB_ENTRY, statusCollectors: ['a'] }]))],
    ['of nobody', standing({}, { ownerReferences: [] })],
    ['of another policy', standing({}, { ownerReferences: [{ ...OWNER, uid: 'older' }] })],
    [
      'of a policy that does not control it',
      standing({}, { ownerReferences: [{ ...OWNER, controller: false }] }),
    ],
  ])('takes a Binding %s for another', (_what, binding) => {
    expect(sameBinding(binding, WANTED)).toBe(false);
  });

  it('ignores only resourceVersions, when it is asked to', () => {
    const ignoring = { ignoreResourceVersions: true };
    const later = { ...WEB_ENTRY, resourceVersion: '8' };
    expect(sameBinding(standing(workload([later])), WANTED, ignoring)).toBe(true);
    expect(sameBinding(standing(workload([{ ...later, name: 'api' }])), WANTED, ignoring)).toBe(
      false,
    );
  });
});
