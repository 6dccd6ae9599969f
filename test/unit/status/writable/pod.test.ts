import { describe, expect, it } from 'vitest';
import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { containersStay } from '#shared/core/status/messages.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';

function pod(spec: JsonObject, status?: JsonObject): JsonObject {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
  return status === undefined ? object : { ...object, status };
}

function written(spec: JsonObject, desired: JsonObject, stored: JsonObject) {
  const object = pod(spec, stored);
  const result = writableStatus(object, desired, stored);
  expect(refusals(object, result.status)).toEqual([]);
  return result;
}

const main = (more: JsonObject = {}): JsonObject => ({ containers: [{ name: 'main', ...more }] });
const RUNNING = { running: { startedAt: '2025-11-01T10:00:00Z' } };
const SUCCEEDED = { terminated: { exitCode: 0, reason: 'Completed' } };
const CRASHED = { terminated: { exitCode: 1, reason: 'Error' } };

function statuses(state: JsonObject, name = 'main'): JsonObject {
  return { containerStatuses: [{ name, ready: true, state }] };
}

const rule = (action: string, operator: string): JsonObject => ({
  action,
  exitCodes: { operator, values: [1] },
});

describe('a container that has ended in the Pod of the WDS', () => {
  it.each([
    { name: 'never restarts', spec: { ...main(), restartPolicy: 'Never' }, from: CRASHED },
    {
      name: 'does not restart after success',
      spec: { ...main(), restartPolicy: 'OnFailure' },
      from: SUCCEEDED,
    },
    {
      name: 'never restarts by its own policy',
      spec: { ...main({ restartPolicy: 'Never' }), restartPolicy: 'Always' },
      from: CRASHED,
    },
    {
      name: 'does not restart by a rule for other exit codes',
      spec: main({ restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'NotIn')] }),
      from: CRASHED,
    },
    {
      name: 'does not restart by a rule without a known operator',
      spec: main({ restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'Above')] }),
      from: CRASHED,
    },
    { name: 'is not one of the spec: a WEC has added it', spec: { containers: [] }, from: CRASHED },
    {
      name: 'has no exit code',
      spec: { ...main(), restartPolicy: 'OnFailure' },
      from: { terminated: {} },
    },
  ])('$name, so its state stays', ({ spec, from }) => {
    const { status, problem } = written(spec, statuses(RUNNING), statuses(from));
    expect(status).toEqual(statuses(from));
    expect(problem).toBe(containersStay('main'));
  });

  it.each([
    { name: 'restarts always', spec: main(), from: SUCCEEDED },
    {
      name: 'restarts after a crash',
      spec: { ...main(), restartPolicy: 'OnFailure' },
      from: CRASHED,
    },
    {
      name: 'restarts by its own policy',
      spec: { ...main({ restartPolicy: 'Always' }), restartPolicy: 'Never' },
      from: SUCCEEDED,
    },
    {
      name: 'restarts by a rule for its exit code',
      spec: main({ restartPolicy: 'Never', restartPolicyRules: [rule('Restart', 'In')] }),
      from: CRASHED,
    },
    {
      name: 'restarts when another one ends',
      spec: {
        ...main(),
        restartPolicy: 'Never',
        initContainers: [
          {
            name: 'init',
            restartPolicy: 'Never',
            restartPolicyRules: [rule('RestartAllContainers', 'In')],
          },
        ],
      },
      from: SUCCEEDED,
    },
  ])('$name', ({ spec, from }) => {
    const desired = statuses(RUNNING);
    expect(written(spec, desired, statuses(from))).toEqual({ status: desired });
  });

  it('may end again, otherwise or in another entry', () => {
    const spec = { ...main(), restartPolicy: 'Never' };
    for (const desired of [statuses(CRASHED), statuses(RUNNING, 'other'), {}])
      expect(written(spec, desired, statuses(SUCCEEDED)).status).toBe(desired);
  });

  it('keeps its state alone, beside others that are as desired', () => {
    const spec = { containers: [{ name: 'main' }, { name: 'side' }], restartPolicy: 'Never' };
    const entry = (name: string, state: JsonObject) => ({ name, state });
    const list = (...containerStatuses: JsonObject[]) => ({ containerStatuses });
    const desired = list(entry('main', RUNNING), entry('side', RUNNING), entry('x', CRASHED));
    const stored = list(entry('main', CRASHED), entry('side', RUNNING));
    expect(written(spec, desired, stored).status).toEqual(
      list(entry('main', CRASHED), entry('side', RUNNING), entry('x', CRASHED)),
    );
  });

  it('stays so as an initial or ephemeral container, too', () => {
    const spec = {
      restartPolicy: 'Always',
      containers: [],
      initContainers: [{ name: 'init', restartPolicy: 'Never' }],
    };
    const lists = (state: JsonObject) => ({
      initContainerStatuses: [{ name: 'init', state }],
      ephemeralContainerStatuses: [{ name: 'debug', state }],
    });
    const { status, problem } = written(spec, lists(RUNNING), lists(SUCCEEDED));
    expect(status).toEqual(lists(SUCCEEDED));
    expect(problem).toContain('init, debug');
  });
});

describe('what a WDS gives its Pods', () => {
  it.each([
    { desired: {}, stored: { qosClass: 'Burstable' }, status: { qosClass: 'Burstable' } },
    {
      desired: { qosClass: 'BestEffort' },
      stored: { qosClass: 'Burstable' },
      status: { qosClass: 'Burstable' },
    },
    { desired: { qosClass: 'BestEffort' }, stored: {}, status: {} },
  ])('keeps the quality of service: $desired over $stored', ({ desired, stored, status }) => {
    expect(written({}, desired, stored)).toEqual({ status });
  });

  it.each([
    { nodeName: 'node1', stored: {}, status: {} },
    {
      nodeName: 'node1',
      stored: { nominatedNodeName: 'node2' },
      status: { nominatedNodeName: 'node2' },
    },
    { nodeName: '', stored: {}, status: { nominatedNodeName: 'node2' } },
  ])('lets no Pod on node "$nodeName" be nominated again', ({ nodeName, stored, status }) => {
    expect(written({ nodeName }, { nominatedNodeName: 'node2' }, stored)).toEqual({ status });
  });
});
