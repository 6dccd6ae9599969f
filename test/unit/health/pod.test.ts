import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const IGNORES = { 'argocd.argoproj.io/ignore-restart-policy': 'true' };

function pod(status: JsonObject, restartPolicy = 'Always', annotations?: JsonObject): JsonObject {
  const metadata = annotations === undefined ? { name: 'p' } : { name: 'p', annotations };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy }, status };
}

function container(state: JsonObject, lastState: JsonObject = {}, name = 'c'): JsonObject {
  return { name, image: 'i', imageID: '', ready: false, restartCount: 0, state, lastState };
}

function waits(reason: string, message?: string): JsonObject {
  return container({ waiting: message === undefined ? { reason } : { reason, message } });
}

function ended(terminated: JsonObject): JsonObject {
  return container({ terminated });
}

const RUNS = container({ running: {} });
const RESTARTED = container({ running: {} }, { terminated: { exitCode: 1 } });

function running(containers: readonly JsonValue[], ready?: string): JsonObject {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready }];
  return { phase: 'Running', conditions, containerStatuses: containers };
}

describe('Argo CD health of a Pod that is restarted forever', () => {
  it.each([
    ['is progressing while it is pending', { phase: 'Pending' }, 'Progressing', undefined],
    ['says why it is pending', { phase: 'Pending', message: 'no node' }, 'Progressing', 'no node'],
    ['is healthy when it has succeeded', { phase: 'Succeeded' }, 'Healthy', undefined],
    [
      'is healthy when it runs and is ready',
      { ...running([RUNS], 'True'), message: 'all well' },
      'Healthy',
      'all well',
    ],
    [
      'is healthy when it is ready again after a restart',
      running([RESTARTED], 'True'),
      'Healthy',
      undefined,
    ],
    [
      'is progressing when it runs and is not ready',
      running([RUNS], 'False'),
      'Progressing',
      undefined,
    ],
    [
      'is progressing when it runs without a word on being ready',
      running([RUNS]),
      'Progressing',
      undefined,
    ],
    [
      'is degraded when it is not ready after a restart',
      running([RUNS, RESTARTED], 'False'),
      'Degraded',
      undefined,
    ],
    [
      'does not count a null for an end',
      running([container({ running: {} }, { terminated: null })], 'False'),
      'Progressing',
      undefined,
    ],
    [
      'looks at the first condition Ready only',
      {
        ...running([RUNS]),
        conditions: [
          { type: 'Initialized', status: 'True' },
          { type: 'Ready', status: 'False' },
          { type: 'Ready', status: 'True' },
        ],
      },
      'Progressing',
      undefined,
    ],
    [
      'is degraded by containers that cannot start, with what they say',
      {
        phase: 'Pending',
        containerStatuses: [
          waits('ImagePullBackOff', 'Back-off pulling image'),
          waits('ContainerCreating', 'not yet'),
          waits('CreateContainerConfigError', 'no secret'),
        ],
      },
      'Degraded',
      'Back-off pulling image, no secret',
    ],
    [
      'is degraded by one that says nothing, whatever the phase',
      { phase: 'Succeeded', containerStatuses: [waits('ErrImagePull')] },
      'Degraded',
      undefined,
    ],
    [
      'is not degraded by other reasons to wait',
      { phase: 'Pending', containerStatuses: [waits('BackOffLater'), waits('ServiceErr')] },
      'Progressing',
      undefined,
    ],
    ['is unknown when its node is lost', { phase: 'Unknown' }, 'Unknown', undefined],
    ['is unknown without a phase', { message: 'odd' }, 'Unknown', 'odd'],
  ])('%s', (...[_name, status, health, message]) => {
    const verdict = message === undefined ? { status: health } : { status: health, message };
    expect(assessArgoCd(pod(status), '3')).toEqual(verdict);
    expect(assessArgoCd(pod(status), '2.14')).toEqual(verdict);
  });
});

describe('Argo CD health of a Pod that has failed', () => {
  it.each([
    [
      'says what the Pod says',
      { message: 'evicted', containerStatuses: [ended({ exitCode: 1 })] },
      'evicted',
    ],
    [
      'says what the first container that failed says, init containers first',
      {
        initContainerStatuses: [RUNS, ended({ exitCode: 3, message: 'no schema' })],
        containerStatuses: [ended({ exitCode: 1, message: 'later' })],
      },
      'no schema',
    ],
    [
      'says that a container ran out of memory',
      { containerStatuses: [ended({ exitCode: 137, reason: 'OOMKilled' })] },
      'OOMKilled',
    ],
    [
      'says the exit code of a container',
      { containerStatuses: [ended({ exitCode: 0 }), ended({ exitCode: 2, reason: 'Error' })] },
      'container "c" failed with exit code 2',
    ],
    ['says nothing when nobody does', { containerStatuses: [ended({ exitCode: 0 })] }, undefined],
    ['says nothing when there are no containers', {}, undefined],
  ])('%s', (...[_name, status, message]) => {
    const verdict =
      message === undefined ? { status: 'Degraded' } : { status: 'Degraded', message };
    expect(assessArgoCd(pod({ phase: 'Failed', ...status }))).toEqual(verdict);
    expect(assessArgoCd(pod({ phase: 'Failed', ...status }, 'Never'))).toEqual(verdict);
  });
});

describe('Argo CD health of a Pod that is to end', () => {
  const backsOff = { phase: 'Pending', containerStatuses: [waits('CrashLoopBackOff', 'x')] };

  it.each(['Never', 'OnFailure'])('is progressing until it ends (restartPolicy %s)', (policy) => {
    expect(assessArgoCd(pod(running([RUNS], 'True'), policy))?.status).toBe('Progressing');
    expect(assessArgoCd(pod(running([RESTARTED], 'False'), policy))?.status).toBe('Progressing');
    expect(assessArgoCd(pod(backsOff, policy))).toEqual({ status: 'Progressing' });
    expect(assessArgoCd(pod({ phase: 'Succeeded' }, policy))?.status).toBe('Healthy');
  });

  it('is unknown while it runs by no known policy', () => {
    expect(assessArgoCd(pod(running([RUNS], 'True'), ''))).toEqual({ status: 'Unknown' });
  });

  it.each([
    ['in version 3', IGNORES, '3', true],
    ['not in version 2.14', IGNORES, '2.14', false],
    ['with no other value', { 'argocd.argoproj.io/ignore-restart-policy': 'yes' }, '3', false],
    ['not for a hook', { ...IGNORES, 'argocd.argoproj.io/hook': 'PreSync,PostSync' }, '3', false],
    [
      'for one that is skipped as a hook',
      { ...IGNORES, 'argocd.argoproj.io/hook': 'Skip' },
      '3',
      true,
    ],
    ['not for a hook of Helm', { ...IGNORES, 'helm.sh/hook': 'pre-install' }, '3', false],
    [
      'for what only Helm 2 called a hook',
      { ...IGNORES, 'helm.sh/hook': 'crd-install' },
      '3',
      true,
    ],
  ] as const)('is judged as if it ran forever by an annotation: %s', (...args) => {
    const [_name, annotations, version, isForEver] = args;
    const health = (status: JsonObject): string | undefined =>
      assessArgoCd(pod(status, 'Never', annotations), version)?.status;
    expect(health(running([RUNS], 'True'))).toBe(isForEver ? 'Healthy' : 'Progressing');
    expect(health(running([RESTARTED], 'False'))).toBe(isForEver ? 'Degraded' : 'Progressing');
    expect(health(backsOff)).toBe(isForEver ? 'Degraded' : 'Progressing');
  });
});

describe('Argo CD health of a Pod of another version', () => {
  it('is unknown', () => {
    expect(assessArgoCd({ ...pod({ phase: 'Succeeded' }), apiVersion: 'v1beta1' })).toEqual({
      status: 'Unknown',
      message: 'unsupported Pod GVK: v1beta1, Kind=Pod',
    });
  });
});
