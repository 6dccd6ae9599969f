import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { OWNED_LABELS } from '#shared/core/kubestellar.ts';
import { workloadContent } from '#shared/core/metadata.ts';
import { combinedStatusFacet, facetOf, labelsFacetOf } from '#shared/state/facets.ts';

const OBJECT: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    resourceVersion: '7',
    managedFields: [{}],
    labels: { app: 'web', 'kubestellar.io/executing-count': '1' },
  },
  spec: { replicas: 1 },
  status: { replicas: 1 },
};
const METADATA = OBJECT['metadata'] as JsonObject; // Written just above.

const COMBINED: JsonObject = {
  kind: 'CombinedStatus',
  metadata: { labels: { a: 'b' }, ownerReferences: [{ uid: 'u' }], resourceVersion: '1' },
  results: [{ name: 'c' }],
};

describe('facetOf a workload object', () => {
  it.each<[string, JsonObject]>([
    ['spec', { ...OBJECT, spec: {} }],
    ['resourceVersion', { ...OBJECT, metadata: { ...METADATA, resourceVersion: '8' } }],
    [
      'labels of others',
      { ...OBJECT, metadata: { labels: { 'kubestellar.io/executing-count': '1', more: 'x' } } },
    ],
  ])('does not see its %s', (_what, changed) => {
    expect(facetOf(changed)).toBe(facetOf(OBJECT));
  });

  it('sees its status, which the facet of the labels does not', () => {
    const changed = { ...OBJECT, status: { replicas: 2 } };
    expect(facetOf(changed)).not.toBe(facetOf(OBJECT));
    expect(labelsFacetOf(changed)).toBe(labelsFacetOf(OBJECT));
  });

  it('tells an absent status from an empty one', () => {
    const { status: _status, ...without } = OBJECT;
    expect(facetOf(without)).not.toBe(facetOf({ ...OBJECT, status: {} }));
  });

  it.each(OWNED_LABELS)('sees the label %s', (label) => {
    const changed = { ...OBJECT, metadata: { labels: { [label]: '9' } } };
    expect(facetOf(changed)).not.toBe(facetOf(OBJECT));
    expect(labelsFacetOf(changed)).not.toBe(labelsFacetOf(OBJECT));
  });
});

describe('facetOf an object of KubeStellar', () => {
  const policy = (generation: number, status: JsonObject): JsonObject => ({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: 'all', generation },
    status,
  });

  it('sees its status', () => {
    const errors = { observedGeneration: 1, errors: ['a'] };
    expect(facetOf(policy(1, errors))).not.toBe(facetOf(policy(1, { observedGeneration: 1 })));
  });

  it('sees that its status speaks of another generation, whichever that is', () => {
    const status = { observedGeneration: 1 };
    expect(facetOf(policy(2, status))).not.toBe(facetOf(policy(1, status)));
    expect(facetOf(policy(3, status))).toBe(facetOf(policy(2, status)));
  });
});

describe('facetOf a CombinedStatus', () => {
  it('sees labels, owners and results', () => {
    const others: JsonObject[] = [
      { ...COMBINED, results: [] },
      { ...COMBINED, metadata: { labels: {}, ownerReferences: [{ uid: 'u' }] } },
      { ...COMBINED, metadata: { labels: { a: 'b' } } },
      { kind: 'CombinedStatus' },
    ];
    expect(new Set([COMBINED, ...others].map(facetOf)).size).toBe(5);
  });

  it('does not see its resourceVersion', () => {
    const metadata = { labels: { a: 'b' }, ownerReferences: [{ uid: 'u' }] };
    expect(facetOf({ ...COMBINED, metadata })).toBe(facetOf(COMBINED));
  });

  it('is kept under its namespace and name', () => {
    expect(combinedStatusFacet('shop', 'a.b')).toBe('combinedstatuses/shop/a.b');
  });
});

describe('workloadContent', () => {
  it('leaves out what Starfold or the API server rewrites', () => {
    expect(workloadContent(OBJECT)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { replicas: 1 },
    });
  });

  it('has no labels where only owned ones stand, and no metadata where there is none', () => {
    const labels = { 'managed-by.kubestellar.io/multiwecstatus': 'true' };
    expect(workloadContent({ metadata: { name: 'web', labels } })).toEqual({
      metadata: { name: 'web' },
    });
    expect(workloadContent({ spec: 1, status: 2 })).toEqual({ spec: 1 });
  });
});
