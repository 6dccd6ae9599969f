import { at, type JsonObject } from '#shared/core/json.ts';
import type { ArgoCdStatus, ArgoCdVerdict } from './verdict.ts';

/** Argo CD's health for the phases of Argo Workflows. */
const VERDICTS: ReadonlyMap<string, ArgoCdStatus> = new Map<string, ArgoCdStatus>([
  ['', 'Progressing'],
  ['Pending', 'Progressing'],
  ['Running', 'Progressing'],
  ['Succeeded', 'Healthy'],
  ['Failed', 'Degraded'],
  ['Error', 'Degraded'],
]);

function textOf(object: JsonObject, field: string): string {
  const value = at(object, 'status', field);
  return typeof value === 'string' ? value : '';
}

/**
 * Argo CD's health of a Workflow of Argo Workflows, of any API version (gitops-engine, `health_argo.go`). Reads
 * `status.phase` and `status.message`. A Workflow without a phase has not been seen by its controller.
 */
export function assessWorkflow(object: JsonObject): ArgoCdVerdict {
  const status = VERDICTS.get(textOf(object, 'phase')) ?? 'Unknown';
  const message = textOf(object, 'message');
  return message === '' ? { status } : { status, message };
}
