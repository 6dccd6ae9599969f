import type { JsonObject } from '#shared/core/json.ts';
import { integerAt, type ObservedObject, textAt } from './observed-object.ts';
import { above, below, firstOf } from './shortfall.ts';
import { current, type KstatusVerdict } from './verdict.ts';

const NO_PARTITION = -1;

function rollout(object: JsonObject, wanted: number): KstatusVerdict | undefined {
  const partition = integerAt(object, 'spec.updateStrategy.rollingUpdate.partition', NO_PARTITION);
  if (partition === NO_PARTITION) {
    const revision = textAt(object, 'status.currentRevision');
    return firstOf([
      below(['LessCurrent', 'current'], integerAt(object, 'status.currentReplicas', 0), wanted),
      {
        found: revision !== textAt(object, 'status.updateRevision'),
        reason: 'RevisionMismatch',
        message: 'Waiting for updated revision to match current',
      },
    ]);
  }
  const updated = integerAt(object, 'status.updatedReplicas', 0);
  return (
    firstOf([below(['PartitionRollout', 'updated'], updated, wanted - partition)]) ??
    current(`Partition rollout complete. updated: ${updated}`)
  );
}

/** kstatus of a StatefulSet (cli-utils, `stsConditions`). */
export function statefulSetKstatus({ object }: ObservedObject): KstatusVerdict {
  if (textAt(object, 'spec.updateStrategy.type') === 'OnDelete')
    return current('StatefulSet is using the ondelete update strategy');
  const wanted = integerAt(object, 'spec.replicas', 1);
  const replicas = integerAt(object, 'status.replicas', 0);
  const shortfall = firstOf([
    below(['LessReplicas', 'Replicas'], replicas, wanted),
    below(['LessReady', 'Ready'], integerAt(object, 'status.readyReplicas', 0), wanted),
    above(replicas, wanted),
  ]);
  return (
    shortfall ??
    rollout(object, wanted) ??
    current(`All replicas scheduled as expected. Replicas: ${replicas}`)
  );
}
