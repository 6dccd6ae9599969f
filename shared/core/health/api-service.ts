import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/**
 * Argo CD's health of an apiregistration.k8s.io APIService (gitops-engine, `health_apiservice.go`): reads the first
 * condition Available of `.status`. Both versions of Argo CD agree.
 */
export function assessApiService(object: JsonObject): ArgoCdVerdict {
  const conditions = at(object, 'status', 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  const available = entries.find((entry) => member(entry, 'type') === 'Available');
  if (available === undefined) return { status: 'Progressing', message: 'Waiting to be processed' };
  const reason = member(available, 'reason') ?? '';
  const message = member(available, 'message') ?? '';
  return {
    status: member(available, 'status') === 'True' ? 'Healthy' : 'Progressing',
    message: `${reason}: ${message}`,
  };
}
