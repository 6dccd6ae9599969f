import { at, type JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import { copyStatusFold } from './copy.ts';
import type { StatusAction } from './decision.ts';
import { genericStatusFold } from './generic.ts';
import type { KindRule, StatusFold } from './kind-rule.ts';
import { apiServiceRule } from './kinds/api-service.ts';
import { cronJobRule } from './kinds/cron-job.ts';
import { daemonSetRule } from './kinds/daemon-set.ts';
import { deploymentRule } from './kinds/deployment.ts';
import {
  horizontalPodAutoscalerRule,
  horizontalPodAutoscalerV1Rule,
} from './kinds/horizontal-pod-autoscaler.ts';
import { ingressRule } from './kinds/ingress.ts';
import { jobRule } from './kinds/job.ts';
import { persistentVolumeClaimRule } from './kinds/persistent-volume-claim.ts';
import { podRule } from './kinds/pod.ts';
import { podDisruptionBudgetRule } from './kinds/pod-disruption-budget.ts';
import { replicaSetRule } from './kinds/replica-set.ts';
import { serviceRule } from './kinds/service.ts';
import { statefulSetRule } from './kinds/stateful-set.ts';
import { workflowRule } from './kinds/workflow.ts';
import { createGenerationTranslator } from './source-generation.ts';

/** The kinds with a rule of their own, by apiVersion and kind; every other kind goes by the generic rule. */
export const STATUS_RULES: ReadonlyMap<string, KindRule> = new Map([
  ['apps/v1/Deployment', deploymentRule],
  ['v1/Pod', podRule],
  ['v1/PersistentVolumeClaim', persistentVolumeClaimRule],
  ['v1/Service', serviceRule],
  ['networking.k8s.io/v1/Ingress', ingressRule],
  ['argoproj.io/v1alpha1/Workflow', workflowRule],
  ['apps/v1/ReplicaSet', replicaSetRule],
  ['apps/v1/StatefulSet', statefulSetRule],
  ['apps/v1/DaemonSet', daemonSetRule],
  ['batch/v1/Job', jobRule],
  ['batch/v1/CronJob', cronJobRule],
  ['autoscaling/v2/HorizontalPodAutoscaler', horizontalPodAutoscalerRule],
  ['autoscaling/v1/HorizontalPodAutoscaler', horizontalPodAutoscalerV1Rule],
  ['policy/v1/PodDisruptionBudget', podDisruptionBudgetRule],
  ['apiregistration.k8s.io/v1/APIService', apiServiceRule],
]);

/**
 * Annotation on a workload object in the WDS: with `"true"`, the generations in the status that is copied from its only
 * WEC are translated to the WDS's numbers; else the copy is verbatim (design, section 9.5).
 */
const TRANSLATE_GENERATION = 'starfold.dev/translate-observed-generation';

const NOTHING: StatusFold = {
  empty: null,
  lift: () => null,
  merge: () => null,
  finish: () => undefined,
};

/**
 * The fold that aggregates the `.status` of a workload object (multi-WEC status).
 *
 * @param workload the object as it stands in the WDS
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name (`WecRow.specHash`), read while
 *   rows are lifted. A row that says its source generation can do without, except that the rule for Deployments then
 *   assumes that its WEC wants as many replicas as the WDS.
 */
export function statusFold(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): StatusFold {
  const generations = createGenerationTranslator(workload, specsByHash);
  const rule = STATUS_RULES.get(`${workload.apiVersion}/${workload.kind}`);
  return rule === undefined
    ? genericStatusFold(workload, generations)
    : rule({ workload, specsByHash, generations });
}

function isTranslated({ metadata }: WorkloadObject): boolean {
  return at(metadata, 'annotations', TRANSLATE_GENERATION) === 'true';
}

/**
 * The fold that a decision asks for: its result is what `statusOutcome` takes. Give it the rows of the qualified WECs.
 */
export function statusFoldFor(
  action: StatusAction,
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): StatusFold {
  switch (action) {
    case 'copy':
      return isTranslated(workload)
        ? copyStatusFold(createGenerationTranslator(workload, specsByHash))
        : copyStatusFold();
    case 'aggregate':
      return statusFold(workload, specsByHash);
    case 'clear':
    case 'leave':
      return NOTHING;
  }
}
