import type { ObservedCondition, ObservedObject } from './observed-object.ts';
import { current, failed, inProgress, type KstatusVerdict } from './verdict.ts';

function assessEntry({
  type,
  status,
  reason,
  message,
}: ObservedCondition): KstatusVerdict | undefined {
  if (type === 'NamesAccepted' && status === 'False') return failed(reason, message);
  if (type !== 'Established') return undefined;
  if (status === 'False' && reason !== 'Installing') return failed(reason, message);
  return status === 'True' ? current('CRD is established') : undefined;
}

/** kstatus of a CustomResourceDefinition (cli-utils, `crdConditions`). The first condition with a verdict decides. */
export function customResourceDefinitionKstatus({ conditions }: ObservedObject): KstatusVerdict {
  for (const entry of conditions) {
    const verdict = assessEntry(entry);
    if (verdict !== undefined) return verdict;
  }
  return inProgress('Installing', 'Install in progress');
}
