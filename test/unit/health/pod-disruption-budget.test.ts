import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

function budget(status: JsonObject): JsonObject {
  const metadata = { name: 'web', generation: 1 };
  return { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: {}, status };
}

function allowed(status: string, reason: string): JsonObject {
  return { type: 'DisruptionAllowed', status, reason };
}

function says(status: ArgoCdVerdict['status'], reason: string): ArgoCdVerdict {
  return { status, message: `PodDisruptionBudget has ${reason}` };
}

const WAITING: ArgoCdVerdict = { status: 'Progressing', message: 'Waiting for status' };

describe('Argo CD health of a PodDisruptionBudget', () => {
  it.each<[string, JsonValue, ArgoCdVerdict]>([
    ['waits without conditions', [], WAITING],
    ['waits where the list is null', null, WAITING],
    [
      'is healthy with enough pods',
      [allowed('True', 'SufficientPods')],
      says('Healthy', 'SufficientPods'),
    ],
    [
      'is healthy with too few pods: that may be on purpose',
      [allowed('False', 'InsufficientPods')],
      says('Healthy', 'InsufficientPods'),
    ],
    [
      'is healthy where nothing is known',
      [allowed('Unknown', 'AwaitingPods')],
      says('Healthy', 'AwaitingPods'),
    ],
    [
      'is degraded where it is False for another reason',
      [allowed('False', 'SyncFailed')],
      says('Degraded', 'SyncFailed'),
    ],
    [
      'is degraded by a condition of any type, wherever it stands',
      [allowed('True', 'SufficientPods'), { ...allowed('False', 'Refused'), type: 'Audited' }],
      says('Degraded', 'Refused'),
    ],
    [
      'has the message of the last condition',
      [allowed('True', 'SufficientPods'), { ...allowed('True', 'Passed'), type: 'Audited' }],
      says('Healthy', 'Passed'),
    ],
    [
      'is unknown where a condition has no reason',
      [{ type: 'DisruptionAllowed', status: 'True' }],
      { status: 'Unknown', message: 'a condition has no reason' },
    ],
  ])('%s', (_name, conditions, verdict) => {
    expect(assessArgoCd(budget({ conditions }), '3')).toEqual(verdict);
    expect(assessArgoCd(budget({ conditions }), '2.14')).toEqual(verdict);
  });
});
