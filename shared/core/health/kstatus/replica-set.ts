import { has, integerAt, type ObservedObject } from './observed-object.ts';
import { above, below, firstOf } from './shortfall.ts';
import { current, inProgress, type KstatusVerdict } from './verdict.ts';

/** kstatus of a ReplicaSet (cli-utils, `replicasetConditions`). A failure to create replicas counts as progress. */
export function replicaSetKstatus({ object, conditions }: ObservedObject): KstatusVerdict {
  if (has(conditions, 'ReplicaFailure', 'True'))
    return inProgress('ReplicaFailure', 'Replica Failure condition. Check Pods');
  const wanted = integerAt(object, 'spec.replicas', 1);
  const replicas = integerAt(object, 'status.replicas', 0);
  const labelled = integerAt(object, 'status.fullyLabeledReplicas', 0);
  const available = integerAt(object, 'status.availableReplicas', 0);
  const shortfall = firstOf([
    below(['LessLabelled', 'Labelled'], labelled, wanted),
    below(['LessAvailable', 'Available'], available, wanted),
    below(['LessReady', 'Ready'], integerAt(object, 'status.readyReplicas', 0), wanted),
    above(replicas, wanted),
  ]);
  return shortfall ?? current(`ReplicaSet is available. Replicas: ${replicas}`);
}
