import { describe, expect, it } from 'vitest';
import { NO_LABELS, NO_SELECTOR } from '#shared/core/binding/messages.ts';
import { misspeltField, noneOf } from '#shared/core/field-messages.ts';
import { groupSelector } from '#shared/core/fleet/cluster-group-members.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';

const CLUSTER = { namespace: 'fleet-default', labels: { env: 'prod', region: 'us-east' } };

function group(spec: JsonValue): JsonObject {
  return {
    apiVersion: 'fleet.cattle.io/v1alpha1',
    kind: 'ClusterGroup',
    metadata: { name: 'production-group', namespace: 'fleet-default' },
    spec,
  };
}

describe('groupSelector', () => {
  it.each<[string, JsonValue, Labels, boolean]>([
    ['Fleet, Cluster Groups: the label', { matchLabels: { env: 'prod' } }, { env: 'prod' }, true],
    ['Fleet, Cluster Groups: another', { matchLabels: { env: 'prod' } }, { env: 'dev' }, false],
    [
      'Kubernetes, labels and selectors: every requirement',
      {
        matchLabels: { env: 'prod' },
        matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['eu'] }],
      },
      { env: 'prod', region: 'eu' },
      false,
    ],
    ['metav1.LabelSelectorAsSelector: empty is everything', {}, { env: 'dev' }, true],
    ['metav1.LabelSelectorAsSelector: empty, no labels', {}, {}, true],
    ['ClusterGroupsForCluster: null is nothing', null, { env: 'prod' }, false],
  ])('%s', (...[, selector, labels, has]) => {
    const { errors, matches } = groupSelector(group({ selector }));
    expect(matches({ namespace: 'fleet-default', labels })).toBe(has);
    expect(errors).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['without a selector', group({})],
    ['with a spec of null', group(null)],
    ['with a spec that is a text', group('selector')],
    ['without a spec', { metadata: { name: 'g', namespace: 'fleet-default' } }],
  ])('has no Clusters %s', (...[, object]) => {
    expect(groupSelector(object).matches(CLUSTER)).toBe(false);
    expect(groupSelector(object).errors).toEqual([]);
  });

  it('has only Clusters of its namespace', () => {
    const { matches } = groupSelector(group({ selector: {} }));
    expect(matches(CLUSTER)).toBe(true);
    expect(matches({ ...CLUSTER, namespace: 'fleet-local' })).toBe(false);
  });

  it.each<[JsonValue, string]>([
    ['env=prod', `spec.selector: ${NO_SELECTOR}`],
    [{ matchLabel: { env: 'prod' } }, `spec.selector.matchLabel: ${misspeltField('matchLabels')}`],
    [{ matchLabels: [] }, `spec.selector.matchLabels: ${NO_LABELS}`],
    [
      { matchLabels: { env: 'prod' }, matchExpressions: [{ key: 'region', operator: 'Is' }] },
      `spec.selector.matchExpressions[0].operator: ${noneOf('In, NotIn, Exists, DoesNotExist')}`,
    ],
  ])('has no Clusters with the unreadable selector %j, and gives the reason', (selector, error) => {
    const { errors, matches } = groupSelector(group({ selector }));
    expect(errors).toEqual([error]);
    expect(matches(CLUSTER)).toBe(false);
  });

  it('lists at most 100 errors', () => {
    const matchExpressions = Array.from({ length: 150 }, () => 'env');
    const { errors } = groupSelector(group({ selector: { matchExpressions } }));
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toBe('and 50 more errors');
  });
});
