import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

const VERSIONS: readonly ArgoCdVersion[] = ['2.14', '3'];
const DONE = {
  observedGeneration: 1,
  desiredNumberScheduled: 3,
  currentNumberScheduled: 3,
  updatedNumberScheduled: 3,
  numberReady: 3,
  numberAvailable: 3,
  numberMisscheduled: 0,
};
const UNOBSERVED =
  'Waiting for rollout to finish: observed daemon set generation less than desired generation';

function daemonSet(
  status: JsonObject,
  { generation = 1, type = 'RollingUpdate' } = {},
): JsonObject {
  const metadata = { name: 'agent', generation };
  const spec = { updateStrategy: { type } };
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec, status };
}

describe('Argo CD health of a DaemonSet', () => {
  it.each([
    ['is healthy when all is done', daemonSet(DONE), 'Healthy', undefined],
    [
      'waits for its generation to be observed, also where pods are updated by hand',
      daemonSet(DONE, { generation: 2, type: 'OnDelete' }),
      'Progressing',
      UNOBSERVED,
    ],
    [
      'is healthy with pods to be updated by hand',
      daemonSet({ ...DONE, updatedNumberScheduled: 1, numberAvailable: 0 }, { type: 'OnDelete' }),
      'Healthy',
      'daemon set 1 out of 3 new pods have been updated',
    ],
    [
      'waits for updated pods, before it looks at available ones',
      daemonSet({ ...DONE, updatedNumberScheduled: 1, numberAvailable: 0 }),
      'Progressing',
      'Waiting for daemon set "agent" rollout to finish: 1 out of 3 new pods have been updated...',
    ],
    [
      'waits for available pods, whatever is ready, an absent counter being 0',
      daemonSet({
        observedGeneration: 1,
        desiredNumberScheduled: 3,
        updatedNumberScheduled: 3,
        numberReady: 3,
      }),
      'Progressing',
      'Waiting for daemon set "agent" rollout to finish: 0 of 3 updated pods are available...',
    ],
    [
      'is healthy where no node wants a pod',
      daemonSet({ observedGeneration: 1 }),
      'Healthy',
      undefined,
    ],
    [
      'is called by no name where it has none',
      { ...daemonSet({ ...DONE, numberAvailable: 2 }), metadata: { generation: 1 } },
      'Progressing',
      'Waiting for daemon set "" rollout to finish: 2 of 3 updated pods are available...',
    ],
  ])('%s', (...[_name, object, status, message]) => {
    for (const version of VERSIONS)
      expect(assessArgoCd(object, version)).toEqual(
        message === undefined ? { status } : { status, message },
      );
  });

  it('is unknown in a version that the rule does not know', () => {
    const older = { ...daemonSet(DONE), apiVersion: 'extensions/v1beta1' };
    expect(assessArgoCd(older)).toBeNull();
    expect(assessArgoCd({ ...older, apiVersion: 'apps/v1beta2' })?.status).toBe('Unknown');
  });
});
