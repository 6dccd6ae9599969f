import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ArgoCdStatus, ArgoCdVerdict, ArgoCdVersion } from './verdict.ts';

function messageOf(entry: JsonValue | undefined): string {
  const message = member(entry, 'message');
  return typeof message === 'string' ? message : '';
}

function verdict(status: ArgoCdStatus, message: string): ArgoCdVerdict {
  return message === '' ? { status } : { status, message };
}

/**
 * Argo CD's health of a batch/v1 Job (gitops-engine, `health_job.go`). Reads only `status.conditions`, and no counter.
 * For the types Failed and Complete, it reads only that an entry exists, regardless of its status. The last entry of a
 * type provides the message. Argo CD 2.14 shows no message for a suspended Job.
 */
export function assessJob(object: JsonObject, version: ArgoCdVersion): ArgoCdVerdict {
  const conditions = at(object, 'status', 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  const of = (...types: readonly string[]): readonly JsonValue[] =>
    entries.filter((entry) => types.some((type) => member(entry, 'type') === type));
  const failed = of('Failed');
  if (failed.length > 0) return verdict('Degraded', messageOf(failed.at(-1)));
  const settled = of('Complete', 'Suspended');
  if (settled.length === 0) return { status: 'Progressing' };
  const message = messageOf(settled.at(-1));
  return of('Suspended').some((entry) => member(entry, 'status') === 'True')
    ? verdict('Suspended', version === '3' ? message : '')
    : verdict('Healthy', message);
}
