import { describe, expect, it } from 'vitest';
import type { JsonValue } from '#shared/core/json.ts';
import { readyText } from '#shared/core/status-api/ready-text.ts';

type Case = readonly [
  group: string,
  resource: string,
  spec: JsonValue,
  status: JsonValue,
  text: string | undefined,
];

describe('READY', () => {
  it.each<Case>([
    ['apps', 'deployments', { replicas: 3 }, { readyReplicas: 2 }, '2/3'],
    ['apps', 'statefulsets', {}, {}, '0/1'],
    ['apps', 'replicasets', { replicas: 0 }, {}, '0/0'],
    ['', 'replicationcontrollers', { replicas: 1 }, { readyReplicas: 1 }, '1/1'],
    ['argoproj.io', 'rollouts', { replicas: 3 }, { readyReplicas: 2 }, '2/3'],
    ['apps', 'daemonsets', {}, { numberReady: 4, desiredNumberScheduled: 5 }, '4/5'],
    ['batch', 'jobs', { completions: 4 }, { succeeded: 1 }, '1/4'],
    [
      '',
      'pods',
      { containers: [{}, {}] },
      { containerStatuses: [{ ready: true }, { ready: false }] },
      '1/2',
    ],
    ['', 'pods', {}, {}, '0/0'],
    [
      'example.com',
      'widgets',
      {},
      {
        conditions: [
          { type: 'Available', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
      'True',
    ],
    [
      'example.com',
      'widgets',
      {},
      { conditions: [{ type: 'Available', status: 'False' }] },
      'False',
    ],
    ['example.com', 'widgets', {}, { conditions: [] }, undefined],
    ['', 'services', {}, { loadBalancer: {} }, undefined],
  ])('of %s/%s with %j and %j is %s', (...[group, resource, spec, status, text]) => {
    expect(readyText({ group, resource }, { spec, status })).toBe(text);
  });
});
