import { describe, expect, it } from 'vitest';
import type { CollectorResult } from '#shared/core/collector/collector-result.ts';
import {
  type CombinedStatusInput,
  combinedStatus,
  combinedStatusName,
  combinedStatusNamespace,
} from '#shared/core/collector/combined-status.ts';
import { labelValue } from '#shared/core/collector/label-value.ts';

const countWecs: CollectorResult = {
  columnNames: ['count'],
  rows: [[{ type: 'Number', float: '2' }]],
  rowErrors: [],
  aggregationErrors: [],
  conversionErrors: [],
};

const nginx: CombinedStatusInput = {
  workload: {
    wds: 'wds1',
    group: 'apps',
    resource: 'deployments',
    namespace: 'nginx',
    name: 'nginx-deployment',
  },
  owner: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    uid: '0990056b-ccbc-4c46-b0fe-366ef3a2de5e',
  },
  binding: {
    name: 'nginx-bindingpolicy',
    uid: '11111111-2222-4333-8444-555555555555',
    policyUid: '332d2c17-7b55-44f6-9a6e-21445523c808',
  },
  results: [{ name: 'count-wecs', result: countWecs }],
};

const clusterScoped: CombinedStatusInput['workload'] = {
  wds: 'wds1',
  group: '',
  resource: 'namespaces',
  namespace: '',
  name: 'nginx',
};

describe('a CombinedStatus', () => {
  it('is the example of the combined status document', () => {
    expect(combinedStatus(nginx).object).toEqual({
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'CombinedStatus',
      metadata: {
        labels: {
          'status.kubestellar.io/api-group': 'apps',
          'status.kubestellar.io/binding-policy': 'nginx-bindingpolicy',
          'status.kubestellar.io/name': 'nginx-deployment',
          'status.kubestellar.io/namespace': 'nginx',
          'status.kubestellar.io/resource': 'deployments',
        },
        name: '0990056b-ccbc-4c46-b0fe-366ef3a2de5e.332d2c17-7b55-44f6-9a6e-21445523c808',
        namespace: 'nginx',
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            name: 'nginx-deployment',
            uid: '0990056b-ccbc-4c46-b0fe-366ef3a2de5e',
          },
        ],
      },
      results: [
        {
          columnNames: ['count'],
          name: 'count-wecs',
          rows: [{ columns: [{ float: '2', type: 'Number' }] }],
        },
      ],
    });
  });

  it('of a cluster-scoped object of the core group is in kubestellar-report, with empty labels', () => {
    expect(combinedStatus({ ...nginx, workload: clusterScoped }).object).toMatchObject({
      metadata: {
        namespace: 'kubestellar-report',
        labels: {
          'status.kubestellar.io/api-group': '',
          'status.kubestellar.io/namespace': '',
          'status.kubestellar.io/resource': 'namespaces',
        },
      },
    });
    expect(combinedStatusNamespace(clusterScoped)).toBe('kubestellar-report');
  });

  it('of a Binding without a BindingPolicy is named by the UID of the Binding', () => {
    expect(combinedStatusName('w', { name: 'b', uid: 'binding' })).toBe('w.binding');
    expect(combinedStatusName('w', { name: 'b', uid: 'binding', policyUid: 'policy' })).toBe(
      'w.policy',
    );
  });

  it('has label values that Kubernetes accepts', () => {
    const name = 'system:controller:deployment-controller';
    const workload = { ...clusterScoped, resource: 'clusterroles', name };
    expect(combinedStatus({ ...nginx, workload }).object).toMatchObject({
      metadata: { labels: { 'status.kubestellar.io/name': labelValue(name) } },
    });
  });

  it('has its results in the order of the collector names, and does not reorder what it got', () => {
    const results = ['b', 'a', 'c'].map((name) => ({ name, result: countWecs }));
    expect(combinedStatus({ ...nginx, results }).object).toMatchObject({
      results: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    });
    expect(results.map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  });

  it('has no results if no collector is valid', () => {
    expect(combinedStatus({ ...nginx, results: [] }).object).toMatchObject({ results: [] });
  });

  it('has errors as KubeStellar spells them, and leaves out what would be empty', () => {
    const result: CollectorResult = {
      columnNames: ['phase', 'sum'],
      rows: [],
      rowErrors: [{ wec: 'edge1', columnName: '', error: 'no such key: x' }],
      aggregationErrors: [{ columnName: 'sum', error: 'bad' }],
      conversionErrors: [{ columnName: 'sum', error: 'bad' }],
    };
    expect(
      combinedStatus({ ...nginx, results: [{ name: 'c', result }] }).object['results'],
    ).toEqual([
      {
        name: 'c',
        columnNames: ['phase', 'sum'],
        rowErrors: [{ wec: { clusterId: 'edge1' }, columnName: '', error: 'no such key: x' }],
        aggregationErrors: [{ columnName: 'sum', error: 'bad' }],
      },
    ]);
  });
});

describe('conversion errors for status.errors', () => {
  const bad: CollectorResult = {
    ...countWecs,
    conversionErrors: [{ columnName: 'sum', error: 'WEC edge1: bad' }],
  };

  it('name the collector, the column and the workload object, in the order of the collectors', () => {
    const results = [
      { name: 'z', result: bad },
      { name: 'm', result: countWecs },
      { name: 'a', result: bad },
    ];
    expect(combinedStatus({ ...nginx, results }).errors).toEqual([
      'StatusCollector a, column sum, deployments.apps nginx/nginx-deployment: WEC edge1: bad',
      'StatusCollector z, column sum, deployments.apps nginx/nginx-deployment: WEC edge1: bad',
    ]);
  });

  it('name a cluster-scoped object of the core group without group and namespace', () => {
    const input = { ...nginx, workload: clusterScoped, results: [{ name: 'a', result: bad }] };
    expect(combinedStatus(input).errors).toEqual([
      'StatusCollector a, column sum, namespaces nginx: WEC edge1: bad',
    ]);
  });
});
