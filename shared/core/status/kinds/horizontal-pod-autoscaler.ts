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
import { type ConditionsPart, finishConditions } from '#shared/core/status/conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/** A failure that both versions of Argo CD know goes before one that only the newer does, that before all others. */
function decisiveness(entry: JsonValue): number {
  return Number(isScalingFailure(entry, '2.14')) + Number(isScalingFailure(entry, '3'));
}

type Decisiveness = typeof decisiveness;

const KNOWN_TO_BOTH = 2;
const LAST = -1;

/** The other way: a failure that both versions know goes last. */
function newerDecisiveness(entry: JsonValue): number {
  const known = decisiveness(entry);
  return known === KNOWN_TO_BOTH ? LAST : known;
}

/** What is healthy goes behind a failure, and before what says nothing. */
function weightOf(entry: JsonValue, decisive: Decisiveness): number {
  return 2 * decisive(entry) + Number(isScalingHealthy(entry));
}

/** The types of condition that Argo CD reads. */
const READ: ReadonlySet<unknown> = new Set(['AbleToScale', 'ScalingActive', 'ScalingLimited']);

/** Argo CD looks for any entry that decides, so of several of one type that one counts. */
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
  /** The worst verdict of Argo CD 2.14 on the WECs' own objects. */
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

/** True is bad news, and healthy to both versions all the same. */
const SCALING_LIMITED: ReadonlySet<string> = new Set(['ScalingLimited']);

function withAbleToScaleOf(other: ConditionsPart, part: ConditionsPart): ConditionsPart {
  const { AbleToScale: entry } = other;
  return entry === undefined ? part : { ...part, AbleToScale: entry };
}

/** By one order of failures or by the other, or by one of them AbleToScale alone: a WEC may hold that type twice. */
function choices({ common: one, newer: other }: ListPart): readonly ConditionsPart[] {
  return [one, other, withAbleToScaleOf(other, one), withAbleToScaleOf(one, other)];
}

/** The lists that K4 allows: failures stand first, and ScalingLimited goes by the uniform rule, where that will do. */
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

/** Above the distance of any verdict, so that the verdict of Argo CD 3 decides first. */
const NEWER_FIRST = 3;

type List = readonly JsonObject[];

/**
 * The first list that both versions of Argo CD judge as the worst WEC, or else one that 3 does, and that is not better to
 * 2.14: the one that is given, or one of those allowed. The versions read a list differently: 2.14 takes the first entry
 * that says anything, and knows fewer failures; and to both ScalingLimited True, though bad news, is healthy.
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
};

/**
 * The rule for autoscaling/v2 HorizontalPodAutoscalers, over all qualified WECs: the letter of the proposal, and where
 * Argo CD's verdict on it would not be the worst of its verdicts on the WECs (docs/architecture.md, section 9.4), other
 * `conditions`: the reasons that Argo CD calls Degraded are decisive (H1: by the newest entry a failure would be lost)
 * and stand first in the list (H2). Where Argo CD would then not judge the aggregate as the worst WEC, because 2.14
 * overlooks a failure in the WECs, or because ScalingLimited True is all that makes WECs healthy: what is healthy stands
 * first, ScalingLimited is True where any WEC says so, or a failure that 2.14 does not know goes before one that it does.
 *
 * `currentMetrics`, `lastScaleTime` are not aggregated: Argo CD does not read them.
 *
 * One thing no status can say: Argo CD 2.14 overlooks a failure that it knows (it stands behind AbleToScale True) in one
 * WEC, and waits for another one, or finds the failure in a second entry AbleToScale. To it the aggregate is Degraded,
 * as to Argo CD 3 the WEC is.
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
  literal: ({ current, desired, conditions: list }) => ({
    currentReplicas: current,
    desiredReplicas: desired,
    conditions: list,
  }),
  departure: (part) => ({ conditions: part.asTheWorst(part.conditions) }),
});

/**
 * The rule for autoscaling/v1 HorizontalPodAutoscalers. Argo CD reads the conditions of this version from an annotation,
 * which is metadata and not written here: its verdict on the WDS's object is what that object's own annotation says,
 * whatever the WECs say. So always use autoscaling/v2: every API server has all autoscalers in both versions.
 *
 * `currentReplicas`, `desiredReplicas` and `currentCPUUtilizationPercentage` are the lowest, absent being 0.
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
  literal: ({ current, desired, utilization }) => ({
    currentReplicas: current,
    desiredReplicas: desired,
    currentCPUUtilizationPercentage: utilization,
  }),
});
