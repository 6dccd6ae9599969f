import { at, type JsonObject, textAt } from '#shared/core/json.ts';
import type { BundlePart } from './bundle-fold.ts';
import type { BundleState } from './bundle-state.ts';
import { findCondition } from './condition.ts';
import { type DesiredStatus, errorCondition, readyCondition, saying } from './desired-status.ts';
import { integerAt } from './fleet-object.ts';
import { readyMessage } from './ready-message.ts';
import {
  countOf,
  deploymentsIn,
  type SummaryPart,
  summaryJson,
  worstState,
} from './summary-fold.ts';

/** How a message begins that tells of the states of deployments. */
const AGGREGATED = /^[A-Za-z]+\(\d+\) \[/;
/** How an error begins that {@link bundleError} has found: it names a field, and holds no longer than its cause. */
const FOUND_HERE = /^targeting error: spec\./;

/** `<ready>/<all>`, as Fleet's displays count. */
export function readyRatio(part: SummaryPart): string {
  return `${countOf(part, 'Ready')}/${deploymentsIn(part)}`;
}

/** The state as displays show it: nothing where all is Ready (Fleet, Status Fields, "`status.display`"). */
export function displayState(state: BundleState): string {
  return state === 'Ready' ? '' : state;
}

/**
 * What Fleet's controller found wrong with a Bundle before there are deployments, such as a template that fails; `''`
 * where there is nothing. It stands in the condition Ready, with the reason Error (Fleet's code); Fleet forgets to remove
 * that reason, so a text that tells of deployments is none of its errors, nor is one that was found here.
 */
export function controllerError(bundle: JsonObject): string {
  const ready = findCondition(at(bundle, 'status', 'conditions'), 'Ready');
  const message = textAt(ready, 'message');
  const isError = textAt(ready, 'status') === 'False' && textAt(ready, 'reason') === 'Error';
  return isError && !AGGREGATED.test(message) && !FOUND_HERE.test(message) ? message : '';
}

/** A Bundle with its targets. */
export interface BundleInputs {
  readonly bundle: JsonObject;
  readonly part: BundlePart;
  /** What is wrong with its targets, by field. */
  readonly targetErrors: readonly string[];
}

/** What is wrong with a Bundle as such; `''` for nothing. */
export function bundleError({ bundle, targetErrors }: Omit<BundleInputs, 'part'>): string {
  return targetErrors.length > 0
    ? `targeting error: ${targetErrors.join('; ')}`
    : controllerError(bundle);
}

/** Counters of a rollout, which Fleet's controller sets and writes also when they are 0. */
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
 * The status of a Bundle (Fleet, Status Fields, "Bundles"; members as in Fleet's code). An error in its targets or
 * templates is its condition Ready; with one in its targets it keeps what it said of its deployments.
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
      // Without its targets, those that wait would be missing: it would look better than it was.
      // One counter Fleet's definition asks for in any case.
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
