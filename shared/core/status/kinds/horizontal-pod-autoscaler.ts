import {
  assessHorizontalPodAutoscaler,
  isScalingFailure,
  isScalingHealthy,
} from '#shared/core/health/horizontal-pod-autoscaler.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { type ArgoCdStatus, isWorse, worst } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  type Component,
  conditions,
  minimum,
  ofTypes,
  withEntries,
} from '#shared/core/status/component.ts';
import {
  type ConditionsPart,
  conditionListsOf,
  finishConditions,
} from '#shared/core/status/conditions.ts';
import { condition, departing, lowest } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/**
 * A failure that both versions of Argo CD know goes before one that only the newer version knows. Both go before all
 * other entries.
 */
function decisiveness(entry: JsonValue): number {
  return Number(isScalingFailure(entry, '2.14')) + Number(isScalingFailure(entry, '3'));
}

type Decisiveness = typeof decisiveness;

const KNOWN_TO_BOTH = 2;
const LAST = -1;

/** The opposite order: a failure that both versions know goes last. */
function newerDecisiveness(entry: JsonValue): number {
  const known = decisiveness(entry);
  return known === KNOWN_TO_BOTH ? LAST : known;
}

/** A healthy entry goes after a failure, and before an entry without a verdict. */
function weightOf(entry: JsonValue, decisive: Decisiveness): number {
  return 2 * decisive(entry) + Number(isScalingHealthy(entry));
}

/** The types of condition that Argo CD reads. */
const READ: ReadonlySet<unknown> = new Set(['AbleToScale', 'ScalingActive', 'ScalingLimited']);

/** Argo CD looks for any entry that decides, so that entry counts if there are several of one type. */
function conditionsBy(decisive: Decisiveness) {
  return conditions({
    read: (entries) =>
      ofTypes(READ)(entries).toSorted((a, b) => weightOf(b, decisive) - weightOf(a, decisive)),
    report: (_type, entry) => ({ entry, decisive: decisive(entry) }),
  });
}

const common = conditionsBy(decisiveness);
const newer = conditionsBy(newerDecisiveness);

type ListPart = {
  /** The worst of Argo CD 2.14's verdicts on the WECs' own objects. */
  readonly older: ArgoCdStatus;
  readonly common: ConditionsPart;
  readonly newer: ConditionsPart;
};

function verdictOn(list: readonly JsonObject[], version: ArgoCdVersion): ArgoCdStatus {
  return assessHorizontalPodAutoscaler({ status: { conditions: list } }, version).status;
}

function isPlainlyHealthy(entry: JsonObject): boolean {
  return decisiveness(entry) < KNOWN_TO_BOTH && isScalingHealthy(entry);
}

/** True is bad, but healthy to both versions. */
const SCALING_LIMITED: ReadonlySet<string> = new Set(['ScalingLimited']);

function withAbleToScaleOf(other: ConditionsPart, part: ConditionsPart): ConditionsPart {
  const { AbleToScale } = other.types;
  return AbleToScale === undefined ? part : { ...part, types: { ...part.types, AbleToScale } };
}

/**
 * The lists by one order of failures or by the other, and the lists in which only AbleToScale follows the other order,
 * because a WEC may have that type twice.
 */
function choices({ common: one, newer: other }: ListPart): readonly ConditionsPart[] {
  return [one, other, withAbleToScaleOf(other, one), withAbleToScaleOf(one, other)];
}

/**
 * The lists that K4 allows, if one of them is enough: failures are first, and ScalingLimited follows the uniform rule.
 */
function allowedLists(part: ListPart, rows: number): readonly (readonly JsonObject[])[] {
  return choices(part).flatMap((entries) =>
    [undefined, SCALING_LIMITED].flatMap((failureTypes) => {
      const list = finishConditions(entries, rows, failureTypes);
      return [
        list.toSorted((a, b) => decisiveness(b) - decisiveness(a)),
        list.toSorted((a, b) => Number(isPlainlyHealthy(b)) - Number(isPlainlyHealthy(a))),
      ];
    }),
  );
}

function distance(found: ArgoCdStatus, wanted: ArgoCdStatus): number {
  if (found === wanted) return 0;
  return isWorse(found, wanted) ? 1 : 2;
}

/** Greater than the distance of any two verdicts, so that the verdict of Argo CD 3 decides first. */
const NEWER_FIRST = 3;

type List = readonly JsonObject[];

/**
 * The first list that both versions of Argo CD judge like the worst WEC: the given list, or one of the allowed ones. If
 * there is none, a list that Argo CD 3 judges like the worst WEC, and that 2.14 does not judge better. The versions
 * read a list differently: 2.14 takes the first entry with a verdict, and knows fewer failures. For both,
 * ScalingLimited True is healthy, although it is bad.
 */
const asTheWorst: Component<ListPart, (literal: List) => List> = {
  lift: (facts) => ({
    older: assessHorizontalPodAutoscaler({ status: facts.status }, '2.14').status,
    common: common.lift(facts),
    newer: newer.lift(facts),
  }),
  merge: (a, b) => ({
    older: worst([a.older, b.older]),
    common: common.merge(a.common, b.common),
    newer: newer.merge(a.newer, b.newer),
  }),
  finish: (part, totals) => (literal) => {
    const cost = (list: List): number =>
      NEWER_FIRST * distance(verdictOn(list, '3'), totals.worst) +
      distance(verdictOn(list, '2.14'), part.older);
    return allowedLists(part, totals.rows)
      .map((list) => withEntries(literal, READ, list))
      .reduce((best, list) => (cost(list) < cost(best) ? list : best), literal);
  },
  deciders: conditionListsOf((part) => [part.common, part.newer]),
};

const AS_THE_WORST = {
  ...condition('conditions'),
  ...departing('as-the-worst', 'asTheWorst'),
} as const;

/**
 * The rule for autoscaling/v2 HorizontalPodAutoscalers, over all qualified WECs: exactly the proposal. If Argo CD's
 * verdict on it would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), `conditions`
 * are changed: the reasons that Argo CD calls Degraded are decisive (H1: by the newest entry, a failure would be lost)
 * and are first in the list (H2). Argo CD may still not judge the aggregate like the worst WEC, because 2.14 overlooks
 * a failure in the WECs, or because WECs are healthy only by ScalingLimited True. Then healthy entries are first,
 * ScalingLimited is True if any WEC reports True, or a failure that 2.14 does not know goes before one that it knows.
 *
 * `currentMetrics`, `lastScaleTime` are not aggregated, because Argo CD does not read them.
 *
 * A status cannot express one thing: Argo CD 2.14 overlooks a failure that it knows in one WEC, because it is after
 * AbleToScale True, and waits for another WEC or finds the failure in a second entry AbleToScale. For 2.14, the
 * aggregate is then Degraded, as the WEC is for Argo CD 3.
 */
export const horizontalPodAutoscalerRule = kindRule({
  assess: assessHorizontalPodAutoscaler,
  readsGeneration: false,
  shownAtZero: ['desiredReplicas'],
  components: {
    current: minimum('currentReplicas'),
    desired: minimum('desiredReplicas'),
    conditions: conditions(),
    asTheWorst,
  },
  documentation: 'rules.md#horizontalpodautoscaler',
  fields: {
    currentReplicas: lowest('current'),
    desiredReplicas: lowest('desired'),
    'conditions[AbleToScale]': AS_THE_WORST,
    'conditions[ScalingActive]': AS_THE_WORST,
    'conditions[ScalingLimited]': AS_THE_WORST,
    conditions: condition('conditions'),
  },
  literal: ({ current, desired, conditions: list }) => ({
    currentReplicas: current,
    desiredReplicas: desired,
    conditions: list,
  }),
  departure: (part) => ({ conditions: part.asTheWorst(part.conditions) }),
});

/**
 * The rule for autoscaling/v1 HorizontalPodAutoscalers. Argo CD reads the conditions of this version from an
 * annotation, which is metadata and not written here. Its verdict on the WDS's object only depends on the annotation of
 * that object, not on the WECs. Therefore, always use autoscaling/v2: every API server has all autoscalers in both
 * versions.
 *
 * `currentReplicas`, `desiredReplicas` and `currentCPUUtilizationPercentage` are the lowest, 0 if absent.
 */
export const horizontalPodAutoscalerV1Rule = kindRule({
  assess: (object, version) =>
    assessHorizontalPodAutoscaler({ ...object, apiVersion: 'autoscaling/v1' }, version),
  readsGeneration: false,
  shownAtZero: ['currentReplicas', 'desiredReplicas'],
  components: {
    current: minimum('currentReplicas'),
    desired: minimum('desiredReplicas'),
    utilization: minimum('currentCPUUtilizationPercentage'),
  },
  documentation: 'rules.md#horizontalpodautoscaler-v1',
  fields: {
    currentReplicas: lowest('current'),
    desiredReplicas: lowest('desired'),
    currentCPUUtilizationPercentage: lowest('utilization'),
  },
  literal: ({ current, desired, utilization }) => ({
    currentReplicas: current,
    desiredReplicas: desired,
    currentCPUUtilizationPercentage: utilization,
  }),
});
