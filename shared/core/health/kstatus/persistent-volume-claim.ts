import { type ObservedObject, textAt } from './observed-object.ts';
import { current, inProgress, type KstatusVerdict } from './verdict.ts';

/** kstatus of a PersistentVolumeClaim (cli-utils, `pvcConditions`). */
export function persistentVolumeClaimKstatus({ object }: ObservedObject): KstatusVerdict {
  const phase = textAt(object, 'status.phase', 'unknown');
  return phase === 'Bound'
    ? current('PVC is Bound')
    : inProgress('NotBound', `PVC is not Bound. phase: ${phase}`);
}
