import { describe, expect, it } from 'vitest';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import { recordedEvents } from '#test/property/status/recordings.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

/** The last word on each WEC's object, sorted by WEC; that of an object that is gone is from its last event. */
function lastVerdicts(scenario: string, kind: string): readonly string[] {
  const last = new Map(
    recordedEvents(scenario, kind).map(({ cluster, object }) => [
      cluster,
      assessKstatus(object, NOW_MS),
    ]),
  );
  return [...last].sort().map(([, { status, message }]) => `${status}: ${message}`);
}

const CLUSTERS = 3;

describe('kstatus at the end of a recording', () => {
  it.each([
    [
      'crd',
      'CustomResourceDefinition',
      [
        'Current: CRD is established',
        'Terminating: Resource scheduled for deletion',
        'Failed: "gd" is already in use',
      ],
    ],
    [
      'custom-resource',
      'Widget',
      ['Current: Resource is Ready', 'Current: Resource is Ready', 'Current: Resource is current'],
    ],
    [
      'daemonset-rollout',
      'DaemonSet',
      [
        'Current: All replicas scheduled as expected. Replicas: 3',
        'Current: All replicas scheduled as expected. Replicas: 4',
        'Current: All replicas scheduled as expected. Replicas: 2',
      ],
    ],
    [
      'deployment-paused-and-deleted',
      'Deployment',
      [
        'Current: Deployment is available. Replicas: 2',
        'Current: Deployment is available. Replicas: 2',
        'InProgress: Updated: 0/2',
      ],
    ],
    [
      'job-failed',
      'Job',
      [
        'Failed: Job Failed. failed: 3/1',
        'Current: Job Completed. succeeded: 1/1',
        'Current: Job Completed. succeeded: 1/1',
      ],
    ],
    [
      'job-suspended-resumed',
      'Job',
      [
        'Current: Job Completed. succeeded: 3/3',
        'Current: Job Completed. succeeded: 3/3',
        'Current: Job is suspended',
      ],
    ],
    [
      'pod',
      'Pod',
      ['Current: Pod has completed successfully', 'Current: Pod is Ready', 'Current: Pod is Ready'],
    ],
    [
      'pvc',
      'PersistentVolumeClaim',
      [
        'Current: PVC is Bound',
        'InProgress: PVC is not Bound. phase: Pending',
        'Terminating: Resource scheduled for deletion',
      ],
    ],
    [
      'replicaset-quota',
      'ReplicaSet',
      [
        'Current: ReplicaSet is available. Replicas: 4',
        'Current: ReplicaSet is available. Replicas: 0',
        'InProgress: Replica Failure condition. Check Pods',
      ],
    ],
    [
      'namespace-terminating',
      'Namespace',
      [
        'Terminating: Resource scheduled for deletion',
        'Current: Resource is current',
        'Current: Resource is current',
      ],
    ],
  ])('%s: %s', (scenario, kind, verdicts) => {
    expect(lastVerdicts(scenario, kind)).toEqual(verdicts);
  });

  it.each([
    ['deployment-rollout', 'Deployment', 'Current: Deployment is available. Replicas: 5'],
    ['statefulset-rollout', 'StatefulSet', 'Current: Partition rollout complete. updated: 2'],
    ['job-complete', 'Job', 'Current: Job Completed. succeeded: 4/4'],
    ['cronjob', 'CronJob', 'Current: Resource is always ready'],
    ['pdb', 'PodDisruptionBudget', 'Current: AllowedDisruptions has been computed.'],
    ['hpa', 'HorizontalPodAutoscaler', 'Current: Resource is current'],
    ['ingress', 'Ingress', 'Current: Resource is current'],
    ['service-loadbalancer', 'Service', 'Current: Service is ready'],
  ])('%s: %s, everywhere %s', (scenario, kind, verdict) => {
    expect(lastVerdicts(scenario, kind)).toEqual(Array(CLUSTERS).fill(verdict));
  });
});
