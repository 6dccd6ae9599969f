import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';

const EARLY = '2025-11-01T10:00:00Z';
const LATE = '2025-11-01T10:05:00Z';
const RUNNING = [{ kind: 'Job', name: 'tick-1' }];

function cronJob(status?: JsonObject, spec: JsonObject = { suspend: false }): JsonObject {
  const object = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick' }, spec };
  return status === undefined ? object : { ...object, status };
}

describe('Argo CD health of a CronJob', () => {
  it.each([
    {
      what: 'suspended, whatever its last run',
      object: cronJob({ lastScheduleTime: LATE, lastSuccessfulTime: EARLY }, { suspend: true }),
      expected: ['Healthy', 'CronJob is Suspended'],
    },
    {
      what: 'without a status',
      object: cronJob(),
      expected: ['Progressing', 'Waiting for CronJob'],
    },
    {
      what: 'never scheduled',
      object: cronJob({}),
      expected: ['Healthy', 'CronJob has not been scheduled yet'],
    },
    {
      what: 'never successful, also while a job runs',
      object: cronJob({ lastScheduleTime: EARLY, active: RUNNING }),
      expected: ['Healthy', 'The Cronjob never completed succesfully. It may not be healthy'],
    },
    {
      what: 'running, whatever its last run',
      object: cronJob({ lastScheduleTime: LATE, lastSuccessfulTime: EARLY, active: RUNNING }),
      expected: ['Healthy', 'The job is running. Its last execution may not have been successful'],
    },
    {
      what: 'whose last run has failed',
      object: cronJob({ lastScheduleTime: LATE, lastSuccessfulTime: EARLY, active: [] }),
      expected: ['Degraded', 'CronJob has not completed its last execution successfully'],
    },
    {
      what: 'whose last run has succeeded',
      object: cronJob({ lastScheduleTime: EARLY, lastSuccessfulTime: LATE }),
      expected: ['Healthy', 'CronJob has completed its last execution successfully'],
    },
    {
      what: 'that succeeded in the second in which it was scheduled',
      object: cronJob({ lastScheduleTime: EARLY, lastSuccessfulTime: EARLY }),
      expected: ['Healthy', 'CronJob has completed its last execution successfully'],
    },
  ])('of one $what', ({ object, expected: [status, message] }) => {
    expect(assessArgoCd(object)).toEqual({ status, message });
  });

  it('is unknown to Argo CD 2.14', () => {
    expect(assessArgoCd(cronJob({}), '2.14')).toBeNull();
  });
});
