import { describe, expect, it } from 'vitest';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import type { JsonObject } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

type Row = readonly [what: string, spec: JsonObject, status: JsonObject];
/** The reason is empty where the object is Current. */
type Expected = readonly [reason: string, message: string];

function object(kind: string, spec: JsonObject, status: JsonObject): JsonObject {
  const metadata = { name: 'web', namespace: 'shop', generation: 1 };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec,
    status: { observedGeneration: 1, ...status },
  };
}

function expectVerdict(given: JsonObject, [reason, message]: Expected): void {
  expect(assessKstatus(given, NOW_MS)).toEqual(
    reason === ''
      ? { status: 'Current', message, conditions: [] }
      : {
          status: 'InProgress',
          message,
          conditions: [{ type: 'Reconciling', status: 'True', reason, message }],
        },
  );
}

const AVAILABLE = { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' };
const ROLLED_OUT = { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' };
const DEADLINE = { replicas: 3, progressDeadlineSeconds: 600 };
const DONE = {
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: [AVAILABLE, ROLLED_OUT],
};

const DEPLOYMENTS: readonly [...Row, Expected][] = [
  ['has all its replicas', DEADLINE, DONE, ['', 'Deployment is available. Replicas: 3']],
  ['has no replicas', DEADLINE, { ...DONE, replicas: 0 }, ['LessReplicas', 'Replicas: 0/3']],
  [
    'has too few updated ones',
    DEADLINE,
    { ...DONE, updatedReplicas: 1 },
    ['LessUpdated', 'Updated: 1/3'],
  ],
  [
    'has more than it wants',
    DEADLINE,
    { ...DONE, replicas: 5 },
    ['ExtraPods', 'Pending termination: 2'],
  ],
  [
    'has fewer available than updated ones',
    DEADLINE,
    { ...DONE, availableReplicas: 2 },
    ['LessAvailable', 'Available: 2/3'],
  ],
  ['has too few ready ones', DEADLINE, { ...DONE, readyReplicas: 2 }, ['LessReady', 'Ready: 2/3']],
  [
    'has a deadline and has not rolled out',
    DEADLINE,
    { ...DONE, conditions: [AVAILABLE, { ...ROLLED_OUT, reason: 'ReplicaSetUpdated' }] },
    ['ReplicaSetNotAvailable', 'ReplicaSet not Available'],
  ],
  [
    'has a deadline and its roll-out is not True',
    DEADLINE,
    { ...DONE, conditions: [AVAILABLE, { ...ROLLED_OUT, status: 'Unknown' }] },
    ['ReplicaSetNotAvailable', 'ReplicaSet not Available'],
  ],
  [
    'has no deadline, where nothing says that it has rolled out',
    { replicas: 3 },
    { ...DONE, conditions: [AVAILABLE] },
    ['', 'Deployment is available. Replicas: 3'],
  ],
  [
    'has the deadline that stands for none',
    { replicas: 3, progressDeadlineSeconds: 2_147_483_647 },
    { ...DONE, conditions: [AVAILABLE] },
    ['', 'Deployment is available. Replicas: 3'],
  ],
  [
    'is not available',
    DEADLINE,
    { ...DONE, conditions: [{ ...AVAILABLE, status: 'False' }, ROLLED_OUT] },
    ['DeploymentNotAvailable', 'Deployment not Available'],
  ],
  [
    'says nothing of replicas, which is one',
    {},
    { conditions: [AVAILABLE] },
    ['LessReplicas', 'Replicas: 0/1'],
  ],
  [
    'is scaled to none',
    { replicas: 0 },
    { conditions: [AVAILABLE] },
    ['', 'Deployment is available. Replicas: 0'],
  ],
];

describe('kstatus of a Deployment', () => {
  it.each(DEPLOYMENTS)('that %s', (...[_what, spec, status, expected]) => {
    expectVerdict(object('Deployment', spec, status), expected);
    const old = { ...object('Deployment', spec, status), apiVersion: 'extensions/v1beta1' };
    expectVerdict(old, expected);
  });

  it('is Failed past its deadline, before its replicas, with the message of the controller', () => {
    const late = {
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "web-1" has timed out progressing.',
    };
    const other = { ...late, type: 'Available', message: 'not this' };
    const given = object('Deployment', DEADLINE, { conditions: [other, late] });
    const { reason, message } = late;
    expect(assessKstatus(given, NOW_MS)).toEqual({
      status: 'Failed',
      message: 'Progress deadline exceeded',
      conditions: [{ type: 'Stalled', status: 'True', reason, message }],
    });
  });
});

const FULL = { replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 3 };

const REPLICA_SETS: readonly [...Row, Expected][] = [
  ['has all its replicas', { replicas: 3 }, FULL, ['', 'ReplicaSet is available. Replicas: 3']],
  [
    'cannot make replicas, which counts as progress',
    { replicas: 3 },
    { ...FULL, conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }] },
    ['ReplicaFailure', 'Replica Failure condition. Check Pods'],
  ],
  [
    'could not make replicas before',
    { replicas: 3 },
    { ...FULL, conditions: [{ type: 'ReplicaFailure', status: 'False' }] },
    ['', 'ReplicaSet is available. Replicas: 3'],
  ],
  [
    'has too few labelled ones',
    { replicas: 3 },
    { ...FULL, fullyLabeledReplicas: 1 },
    ['LessLabelled', 'Labelled: 1/3'],
  ],
  [
    'has too few available ones',
    { replicas: 3 },
    { ...FULL, availableReplicas: 0, readyReplicas: 0 },
    ['LessAvailable', 'Available: 0/3'],
  ],
  [
    'has too few ready ones',
    { replicas: 3 },
    { ...FULL, readyReplicas: 2 },
    ['LessReady', 'Ready: 2/3'],
  ],
  [
    'has more than it wants',
    { replicas: 3 },
    { ...FULL, replicas: 4 },
    ['ExtraPods', 'Pending termination: 1'],
  ],
  ['says nothing, which is one', {}, {}, ['LessLabelled', 'Labelled: 0/1']],
];

describe('kstatus of a ReplicaSet', () => {
  it.each(REPLICA_SETS)('that %s', (...[_what, spec, status, expected]) => {
    expectVerdict(object('ReplicaSet', spec, status), expected);
    const old = { ...object('ReplicaSet', spec, status), apiVersion: 'extensions/v1beta1' };
    expectVerdict(old, expected);
  });
});

const PARTITION = {
  replicas: 3,
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
};
const SAME = { currentRevision: 'db-1', updateRevision: 'db-1' };
const STABLE = { replicas: 3, readyReplicas: 3, currentReplicas: 3, updatedReplicas: 3, ...SAME };

const STATEFUL_SETS: readonly [...Row, Expected][] = [
  [
    'has all its replicas',
    { replicas: 3 },
    STABLE,
    ['', 'All replicas scheduled as expected. Replicas: 3'],
  ],
  [
    'is updated by hand',
    { replicas: 3, updateStrategy: { type: 'OnDelete' } },
    {},
    ['', 'StatefulSet is using the ondelete update strategy'],
  ],
  [
    'has too few replicas',
    { replicas: 3 },
    { ...STABLE, replicas: 2 },
    ['LessReplicas', 'Replicas: 2/3'],
  ],
  [
    'has too few ready ones',
    { replicas: 3 },
    { ...STABLE, readyReplicas: 1 },
    ['LessReady', 'Ready: 1/3'],
  ],
  [
    'has more than it wants',
    { replicas: 3 },
    { ...STABLE, replicas: 4 },
    ['ExtraPods', 'Pending termination: 1'],
  ],
  [
    'has not rolled out to its partition',
    PARTITION,
    { ...STABLE, updatedReplicas: 1 },
    ['PartitionRollout', 'updated: 1/2'],
  ],
  [
    'has rolled out to its partition, whatever its revisions',
    PARTITION,
    { ...STABLE, currentReplicas: 1, updatedReplicas: 2, updateRevision: 'db-2' },
    ['', 'Partition rollout complete. updated: 2'],
  ],
  [
    'has too few replicas of its current revision',
    { replicas: 3 },
    { ...STABLE, currentReplicas: 2 },
    ['LessCurrent', 'current: 2/3'],
  ],
  [
    'has another revision to roll out',
    { replicas: 3 },
    { ...STABLE, updateRevision: 'db-2' },
    ['RevisionMismatch', 'Waiting for updated revision to match current'],
  ],
  ['says nothing, which is one', {}, {}, ['LessReplicas', 'Replicas: 0/1']],
];

describe('kstatus of a StatefulSet', () => {
  it.each(STATEFUL_SETS)('that %s', (...[_what, spec, status, expected]) => {
    expectVerdict(object('StatefulSet', spec, status), expected);
  });
});

const EVERYWHERE = {
  desiredNumberScheduled: 4,
  currentNumberScheduled: 4,
  updatedNumberScheduled: 4,
  numberAvailable: 4,
  numberReady: 4,
};

const DAEMON_SETS: readonly [string, JsonObject, Expected][] = [
  ['runs on all its nodes', EVERYWHERE, ['', 'All replicas scheduled as expected. Replicas: 4']],
  [
    'wants no node',
    { desiredNumberScheduled: 0 },
    ['', 'All replicas scheduled as expected. Replicas: 0'],
  ],
  [
    'does not say how many nodes it wants',
    { currentNumberScheduled: 4 },
    ['NoDesiredNumber', 'Missing .status.desiredNumberScheduled'],
  ],
  [
    'is not on all its nodes',
    { ...EVERYWHERE, currentNumberScheduled: 3 },
    ['LessCurrent', 'Current: 3/4'],
  ],
  [
    'is not updated on all of them',
    { ...EVERYWHERE, updatedNumberScheduled: 2 },
    ['LessUpdated', 'Updated: 2/4'],
  ],
  [
    'is not available on all of them',
    { ...EVERYWHERE, numberAvailable: 1 },
    ['LessAvailable', 'Available: 1/4'],
  ],
  ['is not ready on all of them', { ...EVERYWHERE, numberReady: 0 }, ['LessReady', 'Ready: 0/4']],
];

describe('kstatus of a DaemonSet', () => {
  it.each(DAEMON_SETS)('that %s', (_what, status, expected) => {
    expectVerdict(object('DaemonSet', {}, status), expected);
    expectVerdict({ ...object('DaemonSet', {}, status), apiVersion: 'extensions/v1' }, expected);
  });

  it('has to say which generation it has seen', () => {
    const given = object('DaemonSet', {}, EVERYWHERE);
    expectVerdict({ ...given, status: EVERYWHERE }, [
      'NoObservedGeneration',
      'DaemonSet status.observedGeneration not found',
    ]);
    expectVerdict({ ...given, metadata: { name: 'agent' } }, [
      'NoGeneration',
      'DaemonSet metadata.generation not found',
    ]);
  });
});
