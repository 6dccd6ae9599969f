import {
  assessPodDisruptionBudget,
  isBudgetFailure,
  lacksReason,
} from '#shared/core/health/pod-disruption-budget.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { conditions, minimum } from '#shared/core/status/component.ts';
import { type ConditionReport, conditionType } from '#shared/core/status/conditions.ts';
import { condition, departing, lowest } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

const TRUTHS: readonly unknown[] = ['True', 'Unknown', 'False'];

/** The deciding entry goes first, then False, Unknown, True, so that status and reason come from the same entry. */
function decisiveness(entry: JsonValue): number {
  if (lacksReason(entry)) return TRUTHS.length + 1;
  return isBudgetFailure(entry) ? TRUTHS.length : TRUTHS.indexOf(member(entry, 'status'));
}

function report(_type: string, entry: JsonObject): ConditionReport {
  return { entry, decisive: decisiveness(entry) };
}

/** Argo CD reads every entry, even one without a type, up to the first that decides. That entry goes first. */
function read(entries: readonly JsonValue[]): readonly JsonValue[] {
  const end = entries.findIndex((entry) => lacksReason(entry) || isBudgetFailure(entry));
  return (end < 0 ? entries : entries.slice(0, end + 1))
    .map((entry): JsonValue => {
      if (conditionType(entry) !== undefined) return entry;
      return { ...(isObject(entry) ? entry : {}), type: 'DisruptionAllowed' };
    })
    .toSorted((a, b) => decisiveness(b) - decisiveness(a));
}

/**
 * The rule for policy/v1 PodDisruptionBudgets, over all qualified WECs: exactly the proposal. If Argo CD's verdict on
 * it would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), `conditions` are changed:
 * reason and message come from the newest entry with the aggregate's status, because Argo CD reads both together: False
 * with a reason other than InsufficientPods is Degraded. The reason of the newest entry of all would turn two healthy
 * WECs into Degraded (B1), or hide a Degraded one (B2). If a WEC has no condition yet and no WEC fails, there are no
 * conditions, because any entry would be Healthy. An entry that no API server has counts as in Argo CD: of several
 * entries of one type the worst, an entry without a type as DisruptionAllowed, an entry without a reason as Unknown.
 *
 * The API requires the counters, so they are written even if they are 0. `disruptedPods` names pods of one cluster and
 * is not aggregated.
 */
export const podDisruptionBudgetRule = kindRule({
  assess: assessPodDisruptionBudget,
  readsGeneration: false,
  shownAtZero: ['currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'],
  components: {
    current: minimum('currentHealthy'),
    allowed: minimum('disruptionsAllowed'),
    expected: minimum('expectedPods'),
    desired: minimum('desiredHealthy'),
    conditions: conditions(),
    pairs: conditions({ read, report }),
  },
  documentation: 'rules.md#poddisruptionbudget',
  fields: {
    currentHealthy: lowest('current'),
    desiredHealthy: lowest('desired'),
    disruptionsAllowed: lowest('allowed'),
    expectedPods: lowest('expected'),
    conditions: { ...condition('conditions'), ...departing('deciding-entry', 'pairs') },
  },
  literal: ({ current, allowed, expected, desired, conditions: list }) => ({
    currentHealthy: current,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    expectedPods: expected,
    conditions: list,
  }),
  departure({ pairs }, { worst }) {
    const shown = worst === 'Unknown' ? pairs.filter(lacksReason) : pairs;
    return { conditions: worst === 'Progressing' ? [] : shown };
  },
});
