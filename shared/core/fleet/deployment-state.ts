import { at, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import type { BundleState } from './bundle-state.ts';
import { findCondition } from './condition.ts';
import { isTrueAt } from './fleet-object.ts';

function statusOf(deployment: JsonObject, type: string): string {
  return textAt(findCondition(conditionsOf(deployment), type), 'status');
}

function messageOf(deployment: JsonObject, type: string): string {
  return textAt(findCondition(conditionsOf(deployment), type), 'message');
}

function conditionsOf(deployment: JsonObject): JsonValue | undefined {
  return at(deployment, 'status', 'conditions');
}

/** How the agent begins the message of a deployment that waits for others (Fleet's code, `dependsOn`). */
const WAITS_FOR_OTHERS = 'dependent bundle(s) are not ready';

/** Whether the agent has tried and failed. Waiting for the deployments that it depends on is no error. */
function hasFailed(deployment: JsonObject): boolean {
  return (
    statusOf(deployment, 'Deployed') === 'False' &&
    !messageOf(deployment, 'Deployed').startsWith(WAITS_FOR_OTHERS)
  );
}

/** Whether what is wanted in the cluster is what its agent has applied. */
export function isApplied(deployment: JsonObject): boolean {
  const wanted = textAt(deployment, 'spec', 'deploymentID');
  return textAt(deployment, 'status', 'appliedDeploymentID') === wanted;
}

/** Whether the agent says that every resource is ready. */
export function isReady(deployment: JsonObject): boolean {
  return isTrueAt(deployment, 'status', 'ready');
}

/**
 * The state of a BundleDeployment: one for every level, so that a paused rollout is OutOfSync on the Bundle as well
 * (Fleet, Status Fields, "Bundle Statuses"; the order of the questions is that of Fleet's code).
 */
export function deploymentState(deployment: JsonObject): BundleState {
  if (!isApplied(deployment)) return hasFailed(deployment) ? 'ErrApplied' : 'WaitApplied';
  if (!isReady(deployment)) return 'NotReady';
  const staged = textAt(deployment, 'spec', 'stagedDeploymentID');
  if (textAt(deployment, 'spec', 'deploymentID') !== staged) return 'OutOfSync';
  return isTrueAt(deployment, 'status', 'nonModified') ? 'Ready' : 'Modified';
}

/** What a BundleDeployment's conditions say is wrong, `''` for nothing (Fleet's code, `MessageFromDeployment`). */
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

/** `status.display` of a BundleDeployment: here Ready is written out. */
export function deploymentDisplay(deployment: JsonObject): JsonObject {
  const texts = {
    deployed: conditionText(deployment, 'Deployed'),
    monitored: conditionText(deployment, 'Monitored'),
    state: deploymentState(deployment),
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}
