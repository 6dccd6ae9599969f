import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { OWNED_LABELS } from '#shared/core/kubestellar.ts';
import { workloadContent } from '#shared/core/metadata.ts';
import { ownedCombinedStatus, ownedHash, ownedLabelsHash } from '#shared/state/owned-hashes.ts';

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

describe('ownedHash a workload object', () => {
  it.each<[string, JsonObject]>([
    ['spec', { ...OBJECT, spec: {} }],
    ['resourceVersion', { ...OBJECT, metadata: { ...METADATA, resourceVersion: '8' } }],
    [
      'labels of others',
      { ...OBJECT, metadata: { labels: { 'kubestellar.io/executing-count': '1', more: 'x' } } },
    ],
  ])('does not see its %s', (_what, changed) => {
    expect(ownedHash(changed)).toBe(ownedHash(OBJECT));
  });

  it('sees its status, which the hash of the labels does not', () => {
    const changed = { ...OBJECT, status: { replicas: 2 } };
    expect(ownedHash(changed)).not.toBe(ownedHash(OBJECT));
    expect(ownedLabelsHash(changed)).toBe(ownedLabelsHash(OBJECT));
  });

  it('distinguishes an absent status from an empty one', () => {
    const { status: _status, ...without } = OBJECT;
    expect(ownedHash(without)).not.toBe(ownedHash({ ...OBJECT, status: {} }));
  });

  it.each(OWNED_LABELS)('sees the label %s', (label) => {
    const changed = { ...OBJECT, metadata: { labels: { [label]: '9' } } };
    expect(ownedHash(changed)).not.toBe(ownedHash(OBJECT));
    expect(ownedLabelsHash(changed)).not.toBe(ownedLabelsHash(OBJECT));
  });
});

describe('ownedHash an object of KubeStellar', () => {
  const policy = (generation: number, status: JsonObject): JsonObject => ({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: 'all', generation },
    status,
  });

  it('sees its status', () => {
    const errors = { observedGeneration: 1, errors: ['a'] };
    expect(ownedHash(policy(1, errors))).not.toBe(ownedHash(policy(1, { observedGeneration: 1 })));
  });

  it('detects that its status is of a different generation', () => {
    const status = { observedGeneration: 1 };
    expect(ownedHash(policy(2, status))).not.toBe(ownedHash(policy(1, status)));
    expect(ownedHash(policy(3, status))).toBe(ownedHash(policy(2, status)));
  });
});

describe('ownedHash a CombinedStatus', () => {
  it('sees labels, owners and results', () => {
    const others: JsonObject[] = [
      { ...COMBINED, results: [] },
      { ...COMBINED, metadata: { labels: {}, ownerReferences: [{ uid: 'u' }] } },
      { ...COMBINED, metadata: { labels: { a: 'b' } } },
      { kind: 'CombinedStatus' },
    ];
    expect(new Set([COMBINED, ...others].map(ownedHash)).size).toBe(5);
  });

  it('does not see its resourceVersion', () => {
    const metadata = { labels: { a: 'b' }, ownerReferences: [{ uid: 'u' }] };
    expect(ownedHash({ ...COMBINED, metadata })).toBe(ownedHash(COMBINED));
  });

  it('is kept under its namespace and name', () => {
    expect(ownedCombinedStatus('shop', 'a.b')).toBe('combinedstatuses/shop/a.b');
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

  it('has no labels if there are only owned ones, and no metadata if there is none', () => {
    const labels = { 'managed-by.kubestellar.io/multiwecstatus': 'true' };
    expect(workloadContent({ metadata: { name: 'web', labels } })).toEqual({
      metadata: { name: 'web' },
    });
    expect(workloadContent({ spec: 1, status: 2 })).toEqual({ spec: 1 });
  });
});
