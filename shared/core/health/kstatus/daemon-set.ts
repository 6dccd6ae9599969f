import { at } from '#shared/core/json.ts';
import { integerAt, type ObservedObject } from './observed-object.ts';
import { below, firstOf } from './shortfall.ts';
import { current, type KstatusVerdict } from './verdict.ts';

const NOT_SAID = -1;

/** kstatus of a DaemonSet (cli-utils, `daemonsetConditions`). The DaemonSet must have an observed generation. */
export function daemonSetKstatus({ object }: ObservedObject): KstatusVerdict {
  const wanted = integerAt(object, 'status.desiredNumberScheduled', NOT_SAID);
  const shortfall = firstOf([
    {
      found: (at(object, 'metadata', 'generation') ?? null) === null,
      reason: 'NoGeneration',
      message: 'DaemonSet metadata.generation not found',
    },
    {
      found: (at(object, 'status', 'observedGeneration') ?? null) === null,
      reason: 'NoObservedGeneration',
      message: 'DaemonSet status.observedGeneration not found',
    },
    {
      found: wanted === NOT_SAID,
      reason: 'NoDesiredNumber',
      message: 'Missing .status.desiredNumberScheduled',
    },
    below(
      ['LessCurrent', 'Current'],
      integerAt(object, 'status.currentNumberScheduled', 0),
      wanted,
    ),
    below(
      ['LessUpdated', 'Updated'],
      integerAt(object, 'status.updatedNumberScheduled', 0),
      wanted,
    ),
    below(['LessAvailable', 'Available'], integerAt(object, 'status.numberAvailable', 0), wanted),
    below(['LessReady', 'Ready'], integerAt(object, 'status.numberReady', 0), wanted),
  ]);
  return shortfall ?? current(`All replicas scheduled as expected. Replicas: ${wanted}`);
}
