import { has, integerAt, type ObservedObject } from './observed-object.ts';
import { above, below, firstOf, type Shortfall } from './shortfall.ts';
import { current, failed, type KstatusVerdict } from './verdict.ts';

const DEADLINE_EXCEEDED = 'ProgressDeadlineExceeded';
/** The value of `spec.progressDeadlineSeconds` (int32) that means no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;

function hasProgressed({ object, conditions }: ObservedObject): boolean {
  // If there is no deadline, the controller does not write the condition Progressing.
  const deadline = integerAt(object, 'spec.progressDeadlineSeconds', NO_DEADLINE);
  return (
    deadline === NO_DEADLINE ||
    conditions.some(
      ({ type, status, reason }) =>
        type === 'Progressing' && status === 'True' && reason === 'NewReplicaSetAvailable',
    )
  );
}

function unmet(observed: ObservedObject): readonly Shortfall[] {
  return [
    {
      found: !hasProgressed(observed),
      reason: 'ReplicaSetNotAvailable',
      message: 'ReplicaSet not Available',
    },
    {
      found: !has(observed.conditions, 'Available', 'True'),
      reason: 'DeploymentNotAvailable',
      message: 'Deployment not Available',
    },
  ];
}

/** kstatus of a Deployment (cli-utils, `deploymentConditions`). */
export function deploymentKstatus(observed: ObservedObject): KstatusVerdict {
  const { object, conditions } = observed;
  const late = conditions.find(
    ({ type, reason }) => type === 'Progressing' && reason === DEADLINE_EXCEEDED,
  );
  if (late !== undefined)
    return failed(DEADLINE_EXCEEDED, 'Progress deadline exceeded', late.message);
  const wanted = integerAt(object, 'spec.replicas', 1);
  const replicas = integerAt(object, 'status.replicas', 0);
  const updated = integerAt(object, 'status.updatedReplicas', 0);
  const shortfall = firstOf([
    below(['LessReplicas', 'Replicas'], replicas, wanted),
    below(['LessUpdated', 'Updated'], updated, wanted),
    above(replicas, wanted),
    below(
      ['LessAvailable', 'Available'],
      integerAt(object, 'status.availableReplicas', 0),
      updated,
    ),
    below(['LessReady', 'Ready'], integerAt(object, 'status.readyReplicas', 0), wanted),
    ...unmet(observed),
  ]);
  return shortfall ?? current(`Deployment is available. Replicas: ${replicas}`);
}
