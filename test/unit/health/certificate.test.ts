import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

function certificate(conditions?: JsonValue, apiVersion = 'cert-manager.io/v1'): JsonObject {
  const status = conditions === undefined ? {} : { status: { conditions } };
  return { apiVersion, kind: 'Certificate', metadata: { name: 'web' }, ...status };
}

function entry(type: string, status: string, message?: string): JsonObject {
  return { type, status, ...(message === undefined ? {} : { message }) };
}

const WAITING: ArgoCdVerdict = { status: 'Progressing', message: 'Waiting for certificate' };
const ISSUED = entry('Ready', 'True', 'Certificate is up to date and has not expired');
const MISSING = entry('Ready', 'False', 'Issuing certificate as Secret does not exist');
const RENEWING = entry('Issuing', 'True', 'Renewing certificate as renewal was scheduled');

describe("Argo CD health of cert-manager's Certificate", () => {
  it.each<[string, JsonValue | undefined, ArgoCdVerdict]>([
    ['waits before cert-manager has seen it', undefined, WAITING],
    ['waits without conditions', [], WAITING],
    ['waits if its conditions are no list', 'none', WAITING],
    ['waits while nobody knows whether it is ready', [entry('Ready', 'Unknown', 'Why')], WAITING],
    ['waits if it only has other conditions', [entry('Approved', 'True', 'Why')], WAITING],
    [
      'is healthy when it is ready',
      [ISSUED],
      { status: 'Healthy', message: 'Certificate is up to date and has not expired' },
    ],
    [
      'is degraded when it is not',
      [MISSING],
      { status: 'Degraded', message: 'Issuing certificate as Secret does not exist' },
    ],
    [
      'is progressing while it is issued again, although it is ready',
      [ISSUED, RENEWING],
      { status: 'Progressing', message: 'Renewing certificate as renewal was scheduled' },
    ],
    [
      'is progressing while it is issued for the first time, although it is not ready',
      [RENEWING, MISSING],
      { status: 'Progressing', message: 'Renewing certificate as renewal was scheduled' },
    ],
    [
      'is healthy if issuing it again has failed and the old one is still valid',
      [entry('Issuing', 'False', 'Denied'), ISSUED],
      { status: 'Healthy', message: 'Certificate is up to date and has not expired' },
    ],
    [
      'is judged by the first Ready that says anything',
      [entry('Ready', 'Unknown'), MISSING, ISSUED],
      { status: 'Degraded', message: 'Issuing certificate as Secret does not exist' },
    ],
    ['has no message if the condition has none', [entry('Ready', 'True')], { status: 'Healthy' }],
  ])('%s', (_name, conditions, verdict) => {
    expect(assessArgoCd(certificate(conditions), '3')).toEqual(verdict);
    expect(assessArgoCd(certificate(conditions), '2.14')).toEqual(verdict);
  });

  it('is the same for any version', () => {
    expect(assessArgoCd(certificate([MISSING], 'cert-manager.io/v1beta1'))?.status).toBe(
      'Degraded',
    );
  });
});
