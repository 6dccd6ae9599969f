import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/**
 * The reason of a condition that is False without being a failure: there are not enough pods yet, or this is intended.
 */
const INSUFFICIENT_PODS = 'InsufficientPods';

/** Whether an entry reports that the budget could not be computed. */
export function isBudgetFailure(entry: JsonValue): boolean {
  return member(entry, 'status') === 'False' && member(entry, 'reason') !== INSUFFICIENT_PODS;
}

/** Whether an entry has no reason. If so, Argo CD's script fails. */
export function lacksReason(entry: JsonValue): boolean {
  return typeof member(entry, 'reason') !== 'string';
}

/**
 * Argo CD's health of a policy PodDisruptionBudget (argo-cd,
 * `resource_customizations/policy/PodDisruptionBudget/health.lua`). Reads status and reason of all `status.conditions`,
 * regardless of their type. The first failure decides. If there is none, the last entry provides the message. The
 * script fails on an entry without a reason (no API server has one), so the health is Unknown. Both versions of Argo CD
 * agree. Before 2.13 there was no rule.
 */
export function assessPodDisruptionBudget(object: JsonObject): ArgoCdVerdict {
  const conditions = at(object, 'status', 'conditions');
  let verdict: ArgoCdVerdict = { status: 'Progressing', message: 'Waiting for status' };
  for (const entry of isArray(conditions) ? conditions : []) {
    if (lacksReason(entry)) return { status: 'Unknown', message: 'a condition has no reason' };
    const message = `PodDisruptionBudget has ${member(entry, 'reason')}`;
    if (isBudgetFailure(entry)) return { status: 'Degraded', message };
    verdict = { status: 'Healthy', message };
  }
  return verdict;
}
