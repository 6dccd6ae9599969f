import { at, type JsonObject } from '#shared/core/json.ts';
import { controlResource, STATUS_LABEL_PREFIX } from '#shared/core/kubestellar.ts';
import type { Subject } from '#shared/core/subject.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

/** Names a CombinedStatus in a WDS. */
interface CombinedStatusName {
  readonly wds: string;
  readonly namespace: string;
  readonly name: string;
}

/** The workload object that a CombinedStatus says it belongs to, by its labels; `undefined` where it does not say. */
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
 * The subject of a CombinedStatus that belongs to no workload object: itself, as if it were one. No Binding sends it
 * anywhere, so nothing is ever wanted of it, and it goes as all do that are not wanted (KubeStellar, status controller:
 * of a pair that is not known).
 */
export function strayCombinedStatus({ wds, namespace, name }: CombinedStatusName): WorkloadSubject {
  const { group, resource } = controlResource('combinedstatuses');
  return { type: 'workload', workload: { wds, group, resource, namespace, name } };
}
