import {
  assessHorizontalPodAutoscaler,
  isScalingFailure,
} from '#shared/core/health/horizontal-pod-autoscaler.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type Component, conditions, maximum, minimum } from '#shared/core/status/component.ts';
import { ABNORMAL_TYPES } from '#shared/core/status/condition-polarity.ts';
import {
  type ConditionReport,
  type ConditionsPart,
  finishConditions,
} from '#shared/core/status/conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/** A failure that both versions of Argo CD know goes before one that only the newer does, that before all others. */
function decisiveness(entry: JsonObject): number {
  return Number(isScalingFailure(entry, '2.14')) + Number(isScalingFailure(entry, '3'));
}

function report(_type: string, entry: JsonObject): ConditionReport {
  return { entry, decisive: decisiveness(entry) };
}

/**
 * The failures first: Argo CD 2.14 takes the first condition that says anything, and would find AbleToScale True. And
 * ScalingLimited, whose True is the bad news, is True where any WEC says so, unless a WEC is not healthy: to Argo CD
 * ScalingLimited True is healthy.
 */
const failuresFirst: Component<ConditionsPart, readonly JsonObject[]> = {
  ...conditions({ report }),
  finish: (part, { rows, worst }) =>
    finishConditions(part, rows, worst === 'Healthy' ? ABNORMAL_TYPES : undefined).toSorted(
      (a, b) => decisiveness(b) - decisiveness(a),
    ),
};

/**
 * The rule for autoscaling/v2 HorizontalPodAutoscalers, over all qualified WECs: Argo CD's verdict on the aggregate is the
 * worst of its verdicts on the WECs (design, section 9.4).
 *
 * - `conditions`: see `finishConditions`. The reasons that Argo CD calls Degraded are decisive (H1: by the newest entry
 *   a failure would be lost) and stand first in the list (H2). ScalingLimited is True where any WEC is limited and all
 *   are healthy: else two WECs, one of which is healthy by nothing but ScalingLimited, would make an aggregate that is
 *   not.
 * - `currentReplicas`, `desiredReplicas`: the lowest, absent being 0.
 * - `currentMetrics`, `lastScaleTime` are not aggregated: Argo CD does not read them.
 *
 * Argo CD 2.14 overlooks a failure behind AbleToScale True, as Kubernetes writes it, in the WECs: to it the aggregate may
 * be worse than they are, never better.
 */
export const horizontalPodAutoscalerRule = kindRule({
  assess: assessHorizontalPodAutoscaler,
  readsGeneration: false,
  components: {
    current: minimum('currentReplicas'),
    desired: minimum('desiredReplicas'),
    conditions: failuresFirst,
  },
  finish: ({ current, desired, conditions: list }) => ({
    currentReplicas: current,
    desiredReplicas: desired,
    conditions: list,
  }),
});

/**
 * The rule for autoscaling/v1 HorizontalPodAutoscalers. Argo CD reads the conditions of this version from an annotation,
 * which is metadata and not written here: its verdict on the WDS's object is what that object's own annotation says,
 * whatever the WECs say. So always use autoscaling/v2: every API server has all autoscalers in both versions.
 *
 * - `currentReplicas`, `desiredReplicas`: the lowest, absent being 0.
 * - `currentCPUUtilizationPercentage`: the highest, since it is a load and no supply: the lowest would hide the WEC that
 *   is about to scale.
 */
export const horizontalPodAutoscalerV1Rule = kindRule({
  assess: (object, version) =>
    assessHorizontalPodAutoscaler({ ...object, apiVersion: 'autoscaling/v1' }, version),
  readsGeneration: false,
  components: {
    current: minimum('currentReplicas'),
    desired: minimum('desiredReplicas'),
    utilization: maximum('currentCPUUtilizationPercentage'),
  },
  finish: ({ current, desired, utilization }) => ({
    currentReplicas: current,
    desiredReplicas: desired,
    currentCPUUtilizationPercentage: utilization,
  }),
});
