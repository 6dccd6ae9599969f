import { isTrueAt } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import type { BundleState } from './bundle-state.ts';
import { findCondition } from './condition.ts';

function statusOf(deployment: JsonObject, type: string): string {
  return textAt(findCondition(conditionsOf(deployment), type), 'status');
}

function messageOf(deployment: JsonObject, type: string): string {
  return textAt(findCondition(conditionsOf(deployment), type), 'message');
}

function conditionsOf(deployment: JsonObject): JsonValue | undefined {
  return at(deployment, 'status', 'conditions');
}

/** The beginning of the agent's message for a deployment that waits for others (Fleet's code, `dependsOn`). */
const WAITS_FOR_OTHERS = 'dependent bundle(s) are not ready';

/** Whether the agent has tried and failed. A deployment that waits for the deployments that it depends on has not failed. */
function hasFailed(deployment: JsonObject): boolean {
  return (
    statusOf(deployment, 'Deployed') === 'False' &&
    !messageOf(deployment, 'Deployed').startsWith(WAITS_FOR_OTHERS)
  );
}

/** Whether the agent has applied the wanted version. */
export function isApplied(deployment: JsonObject): boolean {
  const wanted = textAt(deployment, 'spec', 'deploymentID');
  return textAt(deployment, 'status', 'appliedDeploymentID') === wanted;
}

/** Whether the agent reports that every resource is ready. */
export function isReady(deployment: JsonObject): boolean {
  return isTrueAt(deployment, 'status', 'ready');
}

/**
 * The state of a BundleDeployment. All statuses above it use this state, so a paused rollout is OutOfSync on the Bundle as well
 * (Fleet, Status Fields, "Bundle Statuses"; the order of the conditions is that of Fleet's code).
 */
export function deploymentState(deployment: JsonObject): BundleState {
  if (!isApplied(deployment)) return hasFailed(deployment) ? 'ErrApplied' : 'WaitApplied';
  if (!isReady(deployment)) return 'NotReady';
  const staged = textAt(deployment, 'spec', 'stagedDeploymentID');
  if (textAt(deployment, 'spec', 'deploymentID') !== staged) return 'OutOfSync';
  return isTrueAt(deployment, 'status', 'nonModified') ? 'Ready' : 'Modified';
}

/** The error in the conditions of a BundleDeployment, or `''` if there is none (Fleet's code, `MessageFromDeployment`). */
export function deploymentMessage(deployment: JsonObject): string {
  const installed = isApplied(deployment) ? messageOf(deployment, 'Installed') : '';
  return messageOf(deployment, 'Deployed') || installed || messageOf(deployment, 'Monitored');
}

function conditionText(deployment: JsonObject, type: string): string {
  const condition = findCondition(conditionsOf(deployment), type);
  return textAt(condition, 'reason') === 'Error'
    ? `Error: ${textAt(condition, 'message')}`
    : textAt(condition, 'status');
}

/** `status.display` of a BundleDeployment. In contrast to other displays, it contains the state Ready. */
export function deploymentDisplay(deployment: JsonObject): JsonObject {
  const texts = {
    deployed: conditionText(deployment, 'Deployed'),
    monitored: conditionText(deployment, 'Monitored'),
    state: deploymentState(deployment),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}
