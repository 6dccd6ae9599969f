import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

const VERSIONS: readonly ArgoCdVersion[] = ['2.14', '3'];
const COUNTS = {
  observedGeneration: 1,
  replicas: 3,
  readyReplicas: 3,
  currentReplicas: 3,
  updatedReplicas: 3,
  availableReplicas: 3,
};
const DONE = { ...COUNTS, currentRevision: 'web-a', updateRevision: 'web-a' };
const ROLLING = { ...DONE, currentReplicas: 2, updatedReplicas: 1, updateRevision: 'web-b' };

function statefulSet(
  updateStrategy: JsonObject,
  status: JsonObject,
  { generation = 1, replicas = 3 as number | null } = {},
): JsonObject {
  const metadata = { name: 'web', generation };
  const spec = { ...(replicas === null ? {} : { replicas }), updateStrategy };
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec, status };
}

function partitioned(partition: number): JsonObject {
  return { type: 'RollingUpdate', rollingUpdate: { partition } };
}

const BY_REVISION: JsonObject = { type: 'RollingUpdate' };
const UNOBSERVED = 'Waiting for statefulset spec update to be observed...';

describe('Argo CD health of a StatefulSet', () => {
  it.each([
    [
      'waits for its generation to be observed',
      statefulSet(partitioned(0), DONE, { generation: 2 }),
      'Progressing',
      UNOBSERVED,
    ],
    [
      'waits while no generation at all is observed, also of an object that has none',
      statefulSet(partitioned(0), { ...DONE, observedGeneration: 0 }, { generation: 0 }),
      'Progressing',
      UNOBSERVED,
    ],
    [
      'waits for pods to be ready, an absent counter being 0',
      statefulSet(partitioned(0), { observedGeneration: 1, replicas: 3 }),
      'Progressing',
      'Waiting for 3 pods to be ready...',
    ],
    [
      'waits for the updated pods above its partition',
      statefulSet(partitioned(1), ROLLING),
      'Progressing',
      'Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...',
    ],
    [
      'is healthy when those above its partition are updated, whatever its revisions',
      statefulSet(partitioned(2), ROLLING),
      'Healthy',
      'partitioned roll out complete: 1 new pods have been updated...',
    ],
    [
      'does not count updated pods where the partition is absent',
      statefulSet({ type: 'RollingUpdate', rollingUpdate: { partition: null } }, ROLLING),
      'Healthy',
      'partitioned roll out complete: 1 new pods have been updated...',
    ],
    [
      'counts no pods at all where spec.replicas is absent',
      statefulSet(partitioned(0), { observedGeneration: 1 }, { replicas: null }),
      'Healthy',
      'partitioned roll out complete: 0 new pods have been updated...',
    ],
    [
      'is healthy with pods to be updated by hand',
      statefulSet({ type: 'OnDelete' }, ROLLING),
      'Healthy',
      'statefulset has 3 ready pods',
    ],
    [
      'waits for its revisions to be one where its rolling update has no settings',
      statefulSet(BY_REVISION, ROLLING),
      'Progressing',
      'waiting for statefulset rolling update to complete 1 pods at revision web-b...',
    ],
    [
      'also where its strategy is not said',
      statefulSet({ rollingUpdate: { partition: 0 } }, { ...ROLLING, updateRevision: null }),
      'Progressing',
      'waiting for statefulset rolling update to complete 1 pods at revision ...',
    ],
    [
      'is healthy when its revisions are one',
      statefulSet(BY_REVISION, DONE),
      'Healthy',
      'statefulset rolling update complete 3 pods at revision web-a...',
    ],
    [
      'takes absent revisions for one',
      statefulSet({ type: 'RollingUpdate', rollingUpdate: null }, COUNTS),
      'Healthy',
      'statefulset rolling update complete 3 pods at revision ...',
    ],
  ])('%s', (...[_name, object, status, message]) => {
    for (const version of VERSIONS)
      expect(assessArgoCd(object, version)).toEqual({ status, message });
  });

  it('is unknown in a version that the rule does not know', () => {
    const older = { ...statefulSet(BY_REVISION, DONE), apiVersion: 'apps/v1beta1' };
    expect(assessArgoCd(older)?.status).toBe('Unknown');
  });
});
