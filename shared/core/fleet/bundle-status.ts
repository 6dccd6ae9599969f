import { integerAt } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import type { BundlePart } from './bundle-fold.ts';
import type { BundleState } from './bundle-state.ts';
import { findCondition } from './condition.ts';
import { type DesiredStatus, errorCondition, readyCondition, saying } from './desired-status.ts';
import { isTargetingError, targetingError } from './messages.ts';
import { readyMessage } from './ready-message.ts';
import {
  countOf,
  deploymentsIn,
  type SummaryPart,
  summaryJson,
  worstState,
} from './summary-fold.ts';

/** The beginning of a message about the states of deployments. */
const AGGREGATED = /^[A-Za-z]+\(\d+\) \[/;

/** `<ready>/<all>`, in the form of Fleet's displays. */
export function readyRatio(part: SummaryPart): string {
  return `${countOf(part, 'Ready')}/${deploymentsIn(part)}`;
}

/** The state in the form of Fleet's displays: empty for Ready (Fleet, Status Fields, "`status.display`"). */
export function displayState(state: BundleState): string {
  return state === 'Ready' ? '' : state;
}

/**
 * The error that Fleet's controller found in a Bundle before it created deployments, for example a template that fails, or `''`
 * if there is none. Fleet's controller writes it into the condition Ready with the reason Error (Fleet's code) and does not
 * remove that reason later. Therefore a message about the states of deployments is not an error of Fleet's controller. A
 * message that Starfold wrote for the targets is not one either.
 */
export function controllerError(bundle: JsonObject): string {
  const ready = findCondition(at(bundle, 'status', 'conditions'), 'Ready');
  const message = textAt(ready, 'message');
  const isError = textAt(ready, 'status') === 'False' && textAt(ready, 'reason') === 'Error';
  return isError && !AGGREGATED.test(message) && !isTargetingError(message) ? message : '';
}

/** A Bundle with its targets. */
export interface BundleInputs {
  readonly bundle: JsonObject;
  readonly part: BundlePart;
  /** The errors in its targets, by field. */
  readonly targetErrors: readonly string[];
}

/** The error of a Bundle itself, or `''` if there is none. */
export function bundleError({ bundle, targetErrors }: Omit<BundleInputs, 'part'>): string {
  return targetErrors.length > 0 ? targetingError(targetErrors) : controllerError(bundle);
}

/** Counters of a rollout. Fleet's controller sets them, and writes them even if they are 0. */
const ROLLOUT = ['unavailablePartitions', 'maxUnavailable', 'maxUnavailablePartitions'] as const;

function deploymentFields({ byCluster, unavailable }: BundlePart): JsonObject {
  return {
    summary: summaryJson(byCluster),
    unavailable,
    display: saying({
      readyClusters: readyRatio(byCluster),
      state: displayState(worstState(byCluster)),
    }),
  };
}

/**
 * The status of a Bundle (Fleet, Status Fields, "Bundles"; members as in Fleet's code). An error in its targets or templates
 * becomes the condition Ready. If its targets have an error, the Bundle keeps the stored fields about its deployments.
 */
export function bundleStatus(inputs: BundleInputs): DesiredStatus {
  const { bundle, part, targetErrors } = inputs;
  const { byCluster } = part;
  const error = bundleError(inputs);
  const status = bundle['status'];
  const observed =
    error === ''
      ? integerAt(bundle, 'metadata', 'generation')
      : integerAt(status, 'observedGeneration');
  const rollout = ROLLOUT.map((name) => [name, integerAt(status, name)]);
  return {
    fields: {
      ...Object.fromEntries(rollout),
      // If the targets cannot be read, the clusters that wait for a deployment are unknown. A status without them would look
      // better than the Bundle is. Fleet's definition requires the field `unavailable` in any case.
      ...(targetErrors.length > 0
        ? { unavailable: integerAt(status, 'unavailable') }
        : deploymentFields(part)),
      observedGeneration: observed,
    },
    // Deprecated, and always empty in Fleet.
    absent: ['resourceKey'],
    conditions: [
      error === ''
        ? readyCondition(readyMessage(byCluster, 'Cluster'))
        : errorCondition('Ready', error),
    ],
  };
}
