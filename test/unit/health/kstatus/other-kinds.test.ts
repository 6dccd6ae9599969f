import { describe, expect, it } from 'vitest';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

/** The reason is empty where the object is Current. */
type Expected = readonly [
  status: 'Current' | 'InProgress' | 'Failed',
  reason: string,
  message: string,
];

function expectVerdict(given: JsonObject, [status, reason, message]: Expected): void {
  const type = status === 'Failed' ? 'Stalled' : 'Reconciling';
  expect(assessKstatus(given, NOW_MS)).toEqual({
    status,
    message,
    conditions: reason === '' ? [] : [{ type, status: 'True', reason, message }],
  });
}

function job(spec: JsonObject, status: JsonObject): JsonObject {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { generation: 1 }, spec, status };
}

function isTrue(type: string, status = 'True'): JsonObject {
  return { type, status, reason: `Job${type}`, message: `Job ${type}.` };
}

const STARTED = { startTime: '2026-11-21T11:00:00Z', active: 2, succeeded: 3, failed: 1 };

describe('kstatus of a Job', () => {
  it.each<[string, JsonObject, JsonObject, Expected]>([
    ['has not started', {}, {}, ['InProgress', 'JobNotStarted', 'Job not started']],
    [
      'runs, which is Current',
      {},
      { ...STARTED, conditions: [isTrue('Failed', 'False'), isTrue('Complete', 'False')] },
      ['Current', '', 'Job in progress. success:3, active: 2, failed: 1'],
    ],
    [
      'is complete',
      { completions: 3, parallelism: 2 },
      { ...STARTED, conditions: [isTrue('SuccessCriteriaMet'), isTrue('Complete')] },
      ['Current', '', 'Job Completed. succeeded: 3/3'],
    ],
    [
      'is complete and wants as many as run at a time',
      { parallelism: 2 },
      { succeeded: 2, conditions: [isTrue('Complete')] },
      ['Current', '', 'Job Completed. succeeded: 2/2'],
    ],
    [
      'has failed',
      {},
      { failed: 4, conditions: [isTrue('FailureTarget'), isTrue('Failed')] },
      ['Failed', 'JobFailed', 'Job Failed. failed: 4/1'],
    ],
    [
      'is suspended',
      { suspend: true },
      { conditions: [isTrue('Suspended')] },
      ['Current', '', 'Job is suspended'],
    ],
    [
      'is about to be resumed',
      { suspend: false },
      { conditions: [isTrue('Suspended')] },
      ['InProgress', 'JobNotStarted', 'Job not started'],
    ],
    [
      'is about to be suspended',
      { suspend: true },
      { ...STARTED, conditions: [isTrue('Suspended', 'False')] },
      ['Current', '', 'Job in progress. success:3, active: 2, failed: 1'],
    ],
  ])('that %s', (...[_what, spec, status, expected]) => {
    expectVerdict(job(spec, status), expected);
  });
});

function pod(status: JsonObject, creationTimestamp: JsonValue = null): JsonObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', creationTimestamp }, status };
}

function container(name: string, reason: string): JsonObject {
  return { name, state: { waiting: { reason } } };
}

const NOT_READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
const UNSCHEDULABLE = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
};

describe('kstatus of a Pod', () => {
  it.each<[string, JsonObject, Expected]>([
    ['has succeeded', { phase: 'Succeeded' }, ['Current', '', 'Pod has completed successfully']],
    [
      'has failed, which is Current',
      { phase: 'Failed' },
      ['Current', '', 'Pod has completed, but not successfully'],
    ],
    [
      'is ready',
      { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      ['Current', '', 'Pod is Ready'],
    ],
    [
      'runs and is not ready',
      { ...NOT_READY, containerStatuses: [container('a', 'ContainerCreating'), { name: 'b' }] },
      ['InProgress', 'PodRunningNotReady', 'Pod is running but is not Ready'],
    ],
    [
      'runs and does not tell of its containers',
      NOT_READY,
      ['InProgress', 'PodRunningNotReady', 'Pod is running but is not Ready'],
    ],
    [
      'crashes again and again',
      {
        ...NOT_READY,
        containerStatuses: [
          container('a', 'CrashLoopBackOff'),
          container('b', 'ErrImagePull'),
          { state: { waiting: { reason: 'CrashLoopBackOff' } } },
          container('c', 'CrashLoopBackOff'),
        ],
      },
      ['Failed', 'ContainerCrashLooping', 'Containers in CrashLoop state: a,c'],
    ],
    [
      'is pending',
      { phase: 'Pending' },
      ['InProgress', 'PodPending', 'Pod is in the Pending phase'],
    ],
    [
      'waits for its gates',
      {
        ...UNSCHEDULABLE,
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
      },
      ['InProgress', 'PodPending', 'Pod is in the Pending phase'],
    ],
    ['has no phase', {}, ['InProgress', 'PodNotObserved', 'Pod phase not available']],
  ])('that %s', (_what, status, expected) => {
    expectVerdict(pod(status), expected);
  });

  it.each([
    ['InProgress', 'PodNotScheduled', 'Pod has not been scheduled', '2026-11-21T11:59:46Z'],
    ['InProgress', 'PodNotScheduled', 'Pod has not been scheduled', '2026-11-21T13:00:00+01:00'],
    ['Failed', 'PodUnschedulable', 'Pod could not be scheduled', '2026-11-21T11:59:45Z'],
    ['Failed', 'PodUnschedulable', 'Pod could not be scheduled', null],
  ] as const)('is %s (%s) without a node', (...[status, reason, message, created]) => {
    expectVerdict(pod(UNSCHEDULABLE, created), [status, reason, message]);
  });

  it('is Unknown in a phase that Kubernetes does not have', () => {
    expect(assessKstatus(pod({ phase: 'Dreaming' }), NOW_MS)).toEqual({
      status: 'Unknown',
      message: 'unknown phase Dreaming',
      conditions: [],
    });
  });
});

describe('kstatus of a Service', () => {
  it.each<[string, JsonObject, Expected]>([
    ['has no type', {}, ['Current', '', 'Service is ready']],
    ['is a NodePort', { type: 'NodePort' }, ['Current', '', 'Service is ready']],
    [
      'is a load balancer with an address in its cluster',
      { type: 'LoadBalancer', clusterIP: '10.0.0.7' },
      ['Current', '', 'Service is ready'],
    ],
    [
      'is a load balancer without one',
      { type: 'LoadBalancer' },
      ['InProgress', 'NoIPAssigned', 'ClusterIP not set. Service type: LoadBalancer'],
    ],
  ])('that %s', (_what, spec, expected) => {
    expectVerdict({ apiVersion: 'v1', kind: 'Service', spec }, expected);
  });
});

describe('kstatus of a PersistentVolumeClaim', () => {
  it.each<[string, JsonObject, Expected]>([
    ['is bound', { phase: 'Bound' }, ['Current', '', 'PVC is Bound']],
    ['is lost', { phase: 'Lost' }, ['InProgress', 'NotBound', 'PVC is not Bound. phase: Lost']],
    ['has no phase', {}, ['InProgress', 'NotBound', 'PVC is not Bound. phase: unknown']],
  ])('that %s', (_what, status, expected) => {
    expectVerdict({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', status }, expected);
  });
});

function crd(...conditions: JsonObject[]): JsonObject {
  const apiVersion = 'apiextensions.k8s.io/v1';
  return { apiVersion, kind: 'CustomResourceDefinition', status: { conditions } };
}

function said(type: string, status: string, reason = 'NoConflicts'): JsonObject {
  return { type, status, reason, message: `${type} is ${status}` };
}

const INSTALLING: Expected = ['InProgress', 'Installing', 'Install in progress'];

describe('kstatus of a CustomResourceDefinition', () => {
  it.each<[string, JsonObject, Expected]>([
    ['says nothing', crd(), INSTALLING],
    [
      'is established',
      crd(said('NamesAccepted', 'True'), said('Established', 'True')),
      ['Current', '', 'CRD is established'],
    ],
    [
      'is being installed',
      crd(said('NamesAccepted', 'True'), said('Established', 'False', 'Installing')),
      INSTALLING,
    ],
    [
      'has names that are taken',
      crd(said('NamesAccepted', 'False', 'ShortNamesConflict'), said('Established', 'True')),
      ['Failed', 'ShortNamesConflict', 'NamesAccepted is False'],
    ],
    [
      'is established, which is said before its names are taken',
      crd(said('Established', 'True'), said('NamesAccepted', 'False', 'ShortNamesConflict')),
      ['Current', '', 'CRD is established'],
    ],
    [
      'is not established',
      crd(said('Established', 'False', 'NotAccepted')),
      ['Failed', 'NotAccepted', 'Established is False'],
    ],
    ['is established or not', crd(said('Established', 'Unknown')), INSTALLING],
  ])('that %s', (_what, given, expected) => {
    expectVerdict(given, expected);
  });
});
