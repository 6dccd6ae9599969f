import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

function isOf(entry: JsonValue, type: string, status: string): boolean {
  return member(entry, 'type') === type && member(entry, 'status') === status;
}

/** Argo CD checks the conditions one after the other. The first one that is bad for the definition decides. */
function assessEntry(entry: JsonValue): ArgoCdVerdict | undefined {
  const message = member(entry, 'message') ?? '';
  if (isOf(entry, 'Terminating', 'True'))
    return { status: 'Progressing', message: `CRD is terminating: ${message}` };
  if (isOf(entry, 'NamesAccepted', 'False'))
    return { status: 'Degraded', message: `CRD names have not been accepted: ${message}` };
  if (isOf(entry, 'NonStructuralSchema', 'True'))
    return { status: 'Degraded', message: `Schema violations found: ${message}` };
  const waits = member(entry, 'type') === 'Established' && member(entry, 'status') !== 'True';
  return waits && member(entry, 'reason') === 'Installing'
    ? { status: 'Progressing', message: 'CRD is being installed' }
    : undefined;
}

/**
 * Argo CD's health of a CustomResourceDefinition (argo-cd 3.5,
 * `resource_customizations/apiextensions.k8s.io/CustomResourceDefinition/health.lua`). Reads `status.conditions`. The
 * script fails on an object without a status, so its health is Unknown. For Argo CD 3.0 to 3.4, a definition that is
 * being installed is Degraded.
 */
export function assessCustomResourceDefinition(object: JsonObject): ArgoCdVerdict {
  if (typeof at(object, 'metadata', 'deletionTimestamp') === 'string')
    return { status: 'Progressing', message: 'CRD is terminating' };
  const status = member(object, 'status') ?? null;
  if (status === null) return { status: 'Unknown', message: 'CRD has no status' };
  const conditions = member(status, 'conditions');
  if (!isArray(conditions) || conditions.length === 0)
    return { status: 'Progressing', message: 'Status conditions not found' };
  for (const entry of conditions) {
    const verdict = assessEntry(entry);
    if (verdict !== undefined) return verdict;
  }
  return conditions.some((entry) => isOf(entry, 'Established', 'True'))
    ? { status: 'Healthy', message: 'CRD is healthy' }
    : { status: 'Degraded', message: 'CRD is not established' };
}
