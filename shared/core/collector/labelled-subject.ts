import { at, isArray, type JsonObject, textAt } from '#shared/core/json.ts';
import { controlResource, STATUS_LABEL_PREFIX } from '#shared/core/kubestellar.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { Subject } from '#shared/core/subject.ts';
import { labelValue } from './label-value.ts';

type WorkloadSubject = Extract<Subject, { type: 'workload' }>;

/** Identifies a CombinedStatus in a WDS. */
interface CombinedStatusName {
  readonly wds: string;
  readonly namespace: string;
  readonly name: string;
}

/** The text of which a label was made, or the label itself if another text was. */
function uncut(label: string, text: string): string {
  return labelValue(text) === label ? text : label;
}

/**
 * The workload object that the labels of a CombinedStatus name, or `undefined` if they name none. A label that is cut is
 * completed from the owner reference, which has the whole name and API group.
 */
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
  const owners = at(combinedStatus, 'metadata', 'ownerReferences');
  const owner = isArray(owners) ? owners[0] : undefined;
  const workload = {
    wds,
    group: uncut(group, apiGroup(textAt(owner, 'apiVersion'))),
    resource,
    namespace,
    name: uncut(name, textAt(owner, 'name')),
  };
  return { type: 'workload', workload };
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
