import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { condition, counts, deployment } from '#test/fixtures/wec-rows.ts';

const DONE = counts(3, [3, 3, 3]);
const EXCEEDED = condition('Progressing', ['False', 'ProgressDeadlineExceeded']);
const OTHER = condition('Available', ['False', 'ProgressDeadlineExceeded']);
const WAITING = 'Waiting for rollout to finish: ';

function withStatus(status: JsonObject, generation = 1, spec?: JsonObject): JsonObject {
  return { ...deployment(generation, spec), status };
}

describe('Argo CD health of a Deployment', () => {
  it.each([
    ['is healthy when all is done', withStatus(DONE), 'Healthy', undefined],
    [
      'is suspended while paused, whatever its status',
      withStatus({ conditions: [EXCEEDED] }, 2, { replicas: 3, paused: true }),
      'Suspended',
      'Deployment is paused',
    ],
    [
      'waits for its generation to be observed, before it looks at a deadline',
      withStatus({ ...DONE, conditions: [EXCEEDED] }, 2),
      'Progressing',
      `${WAITING}observed deployment generation less than desired generation`,
    ],
    [
      'is degraded past its deadline',
      withStatus({ ...DONE, conditions: [OTHER, EXCEEDED] }),
      'Degraded',
      'Deployment "web" exceeded its progress deadline',
    ],
    [
      'is degraded by the reason alone, whatever the status of the condition',
      withStatus({ ...DONE, conditions: [{ ...EXCEEDED, status: 'True' }] }),
      'Degraded',
      'Deployment "web" exceeded its progress deadline',
    ],
    [
      'reads the first condition Progressing only',
      withStatus({ ...DONE, conditions: [{ type: 'Progressing' }, EXCEEDED] }),
      'Healthy',
      undefined,
    ],
    [
      'waits for updated replicas',
      withStatus(counts(3, [1, 3, 3])),
      'Progressing',
      `${WAITING}1 out of 3 new replicas have been updated...`,
    ],
    [
      'waits for old replicas to go',
      withStatus(counts(5, [3, 5, 5])),
      'Progressing',
      `${WAITING}2 old replicas are pending termination...`,
    ],
    [
      'waits for updated replicas to become available, an absent counter being 0',
      withStatus({ observedGeneration: 1, replicas: 3, updatedReplicas: 3 }),
      'Progressing',
      `${WAITING}0 of 3 updated replicas are available...`,
    ],
    [
      'does not count updated replicas where spec.replicas is absent',
      withStatus({ observedGeneration: 1 }, 1, {}),
      'Healthy',
      undefined,
    ],
  ])('%s', (...[_name, object, status, message]) => {
    expect(assessArgoCd(object)).toEqual(message === undefined ? { status } : { status, message });
  });

  it('names a Deployment without a name by nothing', () => {
    const nameless = { ...withStatus({ ...DONE, conditions: [EXCEEDED] }), metadata: {} };
    expect(assessArgoCd(nameless)?.message).toBe('Deployment "" exceeded its progress deadline');
  });
});
