import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { condition } from '#test/fixtures/wec-rows.ts';

const VERSIONS: readonly ArgoCdVersion[] = ['2.14', '3'];
const DONE = { replicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1 };
const FAILED = condition('ReplicaFailure', ['True', 'FailedCreate']);
const WAITING = 'Waiting for rollout to finish: ';

function replicaSet(
  status: JsonObject,
  { generation = 1, spec = { replicas: 3 } as JsonObject } = {},
): JsonObject {
  const metadata = { name: 'web', generation };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec, status };
}

describe('Argo CD health of a ReplicaSet', () => {
  it.each([
    ['is healthy when as many are available as wanted', replicaSet(DONE), 'Healthy', undefined],
    [
      'waits for its generation to be observed, before it looks at a failure',
      replicaSet({ ...DONE, conditions: [FAILED] }, { generation: 2 }),
      'Progressing',
      `${WAITING}observed replica set generation less than desired generation`,
    ],
    [
      'is degraded by a failure, and says why',
      replicaSet({ ...DONE, conditions: [condition('Other', ['False', 'No']), FAILED] }),
      'Degraded',
      'FailedCreate.',
    ],
    [
      'is degraded without a message by a failure without one',
      replicaSet({ ...DONE, conditions: [{ ...FAILED, message: '' }] }),
      'Degraded',
      undefined,
    ],
    [
      'is degraded without a message by a failure that has no such field',
      replicaSet({ ...DONE, conditions: [{ type: 'ReplicaFailure', status: 'True' }] }),
      'Degraded',
      undefined,
    ],
    [
      'reads the first condition ReplicaFailure only',
      replicaSet({ ...DONE, conditions: [{ ...FAILED, status: 'False' }, FAILED] }),
      'Healthy',
      undefined,
    ],
    [
      'does not count a failure that is Unknown',
      replicaSet({ ...DONE, conditions: [{ ...FAILED, status: 'Unknown' }] }),
      'Healthy',
      undefined,
    ],
    [
      'waits for available replicas, an absent counter being 0',
      replicaSet({ replicas: 3, readyReplicas: 3, observedGeneration: 1 }),
      'Progressing',
      `${WAITING}0 out of 3 new replicas are available...`,
    ],
    [
      'does not count where spec.replicas is absent',
      replicaSet({ replicas: 0, observedGeneration: 1 }, { spec: {} }),
      'Healthy',
      undefined,
    ],
  ])('%s', (...[_name, object, status, message]) => {
    for (const version of VERSIONS)
      expect(assessArgoCd(object, version)).toEqual(
        message === undefined ? { status } : { status, message },
      );
  });

  it('is unknown in a version that the rule does not know', () => {
    const older = { ...replicaSet(DONE), apiVersion: 'apps/v1beta2' };
    expect(assessArgoCd(older)?.message).toBe(
      'unsupported ReplicaSet GVK: apps/v1beta2, Kind=ReplicaSet',
    );
  });
});
