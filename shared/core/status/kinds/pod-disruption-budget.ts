import { countAt } from '#shared/core/health/count-at.ts';
import {
  assessPodDisruptionBudget,
  isBudgetFailure,
} from '#shared/core/health/pod-disruption-budget.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { conditions, maximum, minimum } from '#shared/core/status/component.ts';
import type { ConditionReport } from '#shared/core/status/conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

const TRUTHS: readonly unknown[] = ['True', 'Unknown', 'False'];

/** A failure goes first, then False, Unknown, True; so that status and reason are of one entry. */
function report(_type: string, entry: JsonObject): ConditionReport {
  const decisive = isBudgetFailure(entry) ? TRUTHS.length : TRUTHS.indexOf(entry['status']);
  return { entry, decisive };
}

/**
 * The rule for policy/v1 PodDisruptionBudgets, over all qualified WECs: Argo CD's verdict on the aggregate is the worst
 * of its verdicts on the WECs (design, section 9.4).
 *
 * - `conditions` (DisruptionAllowed): status by `finishConditions`; reason and message of an entry with that status, the
 *   newest, since Argo CD reads the two together: False with a reason other than InsufficientPods is Degraded. The reason
 *   of the newest entry of all would make that of two healthy WECs (B1), or hide it (B2). While a WEC has no condition
 *   yet and none fails there are none: any entry would be Healthy.
 * - `currentHealthy`, `disruptionsAllowed`, `expectedPods`: the lowest, absent being 0. They say how many pods there are,
 *   and may be spared, so the lowest is what every WEC has. The API requires them; one at 0 may be left out, as the API
 *   server adds it.
 * - `desiredHealthy`: what is wanted of those pods, so not the lowest where a WEC is short of it, which would hide that:
 *   the lowest `currentHealthy` and the largest shortfall of a WEC.
 * - `disruptedPods` names pods of one cluster: not aggregated.
 */
export const podDisruptionBudgetRule = kindRule({
  assess: assessPodDisruptionBudget,
  readsGeneration: false,
  components: {
    current: minimum('currentHealthy'),
    allowed: minimum('disruptionsAllowed'),
    expected: minimum('expectedPods'),
    desired: minimum('desiredHealthy'),
    shortfall: maximum(({ status }) =>
      Math.max(countAt(status, 'desiredHealthy') - countAt(status, 'currentHealthy'), 0),
    ),
    conditions: conditions({ report }),
  },
  finish({ current, allowed, expected, desired, shortfall, conditions: list }, { worst }) {
    return {
      currentHealthy: current,
      desiredHealthy: shortfall === 0 ? desired : current + shortfall,
      disruptionsAllowed: allowed,
      expectedPods: expected,
      conditions: worst === 'Progressing' ? [] : list,
    };
  },
});
