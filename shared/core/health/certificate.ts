import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/** Whether an entry reports that a certificate is being issued. */
export function isIssuing(entry: JsonValue): boolean {
  return member(entry, 'type') === 'Issuing' && member(entry, 'status') === 'True';
}

/** Whether an entry reports whether the certificate can be used. */
function isDecided(entry: JsonValue): boolean {
  const status = member(entry, 'status');
  return member(entry, 'type') === 'Ready' && (status === 'True' || status === 'False');
}

/**
 * Argo CD's health of a cert-manager Certificate, of any API version (argo-cd,
 * `resource_customizations/cert-manager.io/Certificate/health.lua`). A True Issuing is Progressing, wherever it is in
 * `status.conditions`. Otherwise, the first Ready that is True or False decides. If there is none, the Certificate
 * waits. Both versions of Argo CD agree.
 */
export function assessCertificate(object: JsonObject): ArgoCdVerdict {
  const conditions = at(object, 'status', 'conditions');
  const entries = isArray(conditions) ? conditions : [];
  const issuing = entries.find(isIssuing);
  const entry = issuing ?? entries.find(isDecided);
  if (entry === undefined) return { status: 'Progressing', message: 'Waiting for certificate' };
  const text = member(entry, 'message');
  const message = typeof text === 'string' ? { message: text } : {};
  if (issuing !== undefined) return { status: 'Progressing', ...message };
  return { status: member(entry, 'status') === 'True' ? 'Healthy' : 'Degraded', ...message };
}
