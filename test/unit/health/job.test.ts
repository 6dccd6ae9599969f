import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';

function job(status?: JsonObject): JsonObject {
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'load' }, spec: {} };
  return status === undefined ? object : { ...object, status };
}

function conditions(...entries: readonly string[]): JsonObject {
  return {
    conditions: entries.map((entry) => {
      const [type = '', status = ''] = entry.split('=');
      return { type, status, message: `${type}.` };
    }),
  };
}

describe('Argo CD health of a Job', () => {
  it.each([
    { what: 'without a status', status: undefined, expected: { status: 'Progressing' } },
    { what: 'that has just started', status: {}, expected: { status: 'Progressing' } },
    {
      what: 'that runs, whatever its counters',
      status: { active: 0, succeeded: 3, startTime: '2025-11-01T10:00:00Z' },
      expected: { status: 'Progressing' },
    },
    {
      what: 'that is about to succeed',
      status: conditions('SuccessCriteriaMet=True'),
      expected: { status: 'Progressing' },
    },
    {
      what: 'that is about to fail',
      status: conditions('FailureTarget=True'),
      expected: { status: 'Progressing' },
    },
    {
      what: 'that is Complete',
      status: conditions('SuccessCriteriaMet=True', 'Complete=True'),
      expected: { status: 'Healthy', message: 'Complete.' },
    },
    {
      what: 'with an entry Complete, whatever its status',
      status: conditions('Complete=False'),
      expected: { status: 'Healthy', message: 'Complete.' },
    },
    {
      what: 'that has Failed',
      status: conditions('FailureTarget=True', 'Failed=True'),
      expected: { status: 'Degraded', message: 'Failed.' },
    },
    {
      what: 'with an entry Failed, whatever its status and the other conditions',
      status: conditions('Failed=False', 'Suspended=True', 'Complete=True'),
      expected: { status: 'Degraded', message: 'Failed.' },
    },
    {
      what: 'that has Failed without a message',
      status: { conditions: [{ type: 'Failed', status: 'True' }] },
      expected: { status: 'Degraded' },
    },
    {
      what: 'that was resumed and runs',
      status: conditions('Suspended=False'),
      expected: { status: 'Healthy', message: 'Suspended.' },
    },
    {
      what: 'that was resumed and is Complete: the last message counts',
      status: conditions('Suspended=False', 'Complete=True'),
      expected: { status: 'Healthy', message: 'Complete.' },
    },
    {
      what: 'whose conditions are no list',
      status: { conditions: 'none' },
      expected: { status: 'Progressing' },
    },
  ])('of one $what', ({ status, expected }) => {
    for (const version of ['2.14', '3'] as const)
      expect(assessArgoCd(job(status), version)).toEqual(expected);
  });

  it('of a suspended one has a message in Argo CD 3 only', () => {
    const suspended = job(conditions('Suspended=True'));
    expect(assessArgoCd(suspended, '2.14')).toEqual({ status: 'Suspended' });
    expect(assessArgoCd(suspended)).toEqual({ status: 'Suspended', message: 'Suspended.' });
  });

  it('is not known of a version that is no longer served', () => {
    expect(assessArgoCd({ ...job({}), apiVersion: 'batch/v1beta1' })).toEqual({
      status: 'Unknown',
      message: 'unsupported Job GVK: batch/v1beta1, Kind=Job',
    });
  });
});
