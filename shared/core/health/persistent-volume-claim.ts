import { at, type JsonObject } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/**
 * Argo CD's health of a v1 PersistentVolumeClaim (gitops-engine, `health_pvc.go`). Reads `status.phase`. The verdict
 * never has a message.
 */
export function assessPersistentVolumeClaim(object: JsonObject): ArgoCdVerdict {
  switch (at(object, 'status', 'phase')) {
    case 'Bound':
      return { status: 'Healthy' };
    case 'Pending':
      return { status: 'Progressing' };
    case 'Lost':
      return { status: 'Degraded' };
    default:
      return { status: 'Unknown' };
  }
}
