import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

function timeOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function assessRuns(status: JsonValue): ArgoCdVerdict {
  const scheduled = timeOf(at(status, 'lastScheduleTime'));
  const succeeded = timeOf(at(status, 'lastSuccessfulTime'));
  const active = at(status, 'active');
  if (scheduled === '') return { status: 'Healthy', message: 'CronJob has not been scheduled yet' };
  if (succeeded === '')
    return {
      status: 'Healthy',
      message: 'The Cronjob never completed succesfully. It may not be healthy',
    };
  if (isArray(active) && active.length > 0)
    return {
      status: 'Healthy',
      message: 'The job is running. Its last execution may not have been successful',
    };
  return succeeded < scheduled
    ? {
        status: 'Degraded',
        message: 'CronJob has not completed its last execution successfully',
      }
    : { status: 'Healthy', message: 'CronJob has completed its last execution successfully' };
}

/**
 * Argo CD's health of a batch/v1 CronJob (argo-cd 3.2, `resource_customizations/batch/CronJob/health.lua`). Reads
 * `spec.suspend`, `status.lastScheduleTime`, `.lastSuccessfulTime` (compared as texts) and whether `.active` has
 * entries. A suspended CronJob is Healthy on purpose (argo-cd#24428).
 */
export function assessCronJob(object: JsonObject): ArgoCdVerdict {
  if (at(object, 'spec', 'suspend') === true)
    return { status: 'Healthy', message: 'CronJob is Suspended' };
  const status = at(object, 'status') ?? null;
  return status === null
    ? { status: 'Progressing', message: 'Waiting for CronJob' }
    : assessRuns(status);
}
