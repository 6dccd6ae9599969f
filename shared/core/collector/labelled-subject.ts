import { at, type JsonObject } from '#shared/core/json.ts';
import { controlResource, STATUS_LABEL_PREFIX } from '#shared/core/kubestellar.ts';
import type { Subject } from '#shared/core/subject.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

/** Identifies a CombinedStatus in a WDS. */
interface CombinedStatusName {
  readonly wds: string;
  readonly namespace: string;
  readonly name: string;
}

/** The workload object that the labels of a CombinedStatus name, or `undefined` if they name none. */
export function labelledSubject(
  wds: string,
  combinedStatus: JsonObject | undefined,
): WorkloadSubject | undefined {
  const label = (key: string): string | undefined => {
    const value = at(combinedStatus, 'metadata', 'labels', `${STATUS_LABEL_PREFIX}${key}`);
    return typeof value === 'string' ? value : undefined;
  };
  const group = label('api-group');
  const resource = label('resource');
  const namespace = label('namespace');
  const name = label('name');
  if (group === undefined || namespace === undefined || !resource || !name) return undefined;
  return { type: 'workload', workload: { wds, group, resource, namespace, name } };
}

/**
 * The subject for a CombinedStatus that belongs to no workload object: the CombinedStatus itself, as if it were a
 * workload object. No Binding sends it anywhere, so it is never wanted and is deleted like every unwanted
 * CombinedStatus (KubeStellar, status controller: of a pair that is not known).
 */
export function strayCombinedStatus({ wds, namespace, name }: CombinedStatusName): WorkloadSubject {
  const { group, resource } = controlResource('combinedstatuses');
  return { type: 'workload', workload: { wds, group, resource, namespace, name } };
}
