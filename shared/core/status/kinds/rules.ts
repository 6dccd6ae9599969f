import type { Fold } from '#shared/core/fold/fold.ts';
import { at, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { copyStatusFold } from '#shared/core/status/copy.ts';
import type { ExplainingFold } from '#shared/core/status/decided-status.ts';
import type { StatusAction } from '#shared/core/status/decision.ts';
import { explainingGenericFold } from '#shared/core/status/explaining-generic.ts';
import { genericStatusFold } from '#shared/core/status/generic.ts';
import type { KindRule, StatusFold } from '#shared/core/status/kind-rule.ts';
import { createLifeCheck } from '#shared/core/status/other-life.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import { apiServiceRule } from './api-service.ts';
import { certificateRule } from './certificate.ts';
import { cronJobRule } from './cron-job.ts';
import { daemonSetRule } from './daemon-set.ts';
import { deploymentRule } from './deployment.ts';
import {
  horizontalPodAutoscalerRule,
  horizontalPodAutoscalerV1Rule,
} from './horizontal-pod-autoscaler.ts';
import { ingressRule } from './ingress.ts';
import { jobRule } from './job.ts';
import { persistentVolumeClaimRule } from './persistent-volume-claim.ts';
import { podRule } from './pod.ts';
import { podDisruptionBudgetRule } from './pod-disruption-budget.ts';
import { replicaSetRule } from './replica-set.ts';
import { rolloutRule } from './rollout.ts';
import { serviceRule } from './service.ts';
import { statefulSetRule } from './stateful-set.ts';
import { workflowRule } from './workflow.ts';

/** Matches every version of a group. */
const ANY_VERSION = '*';

/** A rule for all API versions whose statuses have the fields that it reads. */
function covering(
  kind: string,
  apiVersions: readonly string[],
  rule: KindRule,
): readonly (readonly [string, KindRule])[] {
  return apiVersions.map((apiVersion) => [`${apiVersion}/${kind}`, rule]);
}

/**
 * The kinds with a rule of their own, by apiVersion and kind: the kinds that `assessArgoCd` judges and whose status is
 * written, including the older versions that Argo CD knows. The version `*` matches any version. Every other kind
 * follows the generic rule.
 */
export const STATUS_RULES: ReadonlyMap<string, KindRule> = new Map([
  ...covering('Deployment', ['apps/v1'], deploymentRule),
  ...covering('ReplicaSet', ['apps/v1'], replicaSetRule),
  ...covering('StatefulSet', ['apps/v1'], statefulSetRule),
  ...covering('DaemonSet', ['apps/v1'], daemonSetRule),
  ...covering('Job', ['batch/v1'], jobRule),
  ...covering('CronJob', ['batch/v1', 'batch/v1beta1'], cronJobRule),
  ...covering('Pod', ['v1'], podRule),
  ...covering('PersistentVolumeClaim', ['v1'], persistentVolumeClaimRule),
  ...covering('Service', ['v1'], serviceRule),
  ...covering(
    'Ingress',
    ['networking.k8s.io/v1', 'networking.k8s.io/v1beta1', 'extensions/v1beta1'],
    ingressRule,
  ),
  ...covering(
    'HorizontalPodAutoscaler',
    ['autoscaling/v2', 'autoscaling/v2beta2', 'autoscaling/v2beta1'],
    horizontalPodAutoscalerRule,
  ),
  ...covering('HorizontalPodAutoscaler', ['autoscaling/v1'], horizontalPodAutoscalerV1Rule),
  ...covering('PodDisruptionBudget', ['policy/v1', 'policy/v1beta1'], podDisruptionBudgetRule),
  ...covering(
    'APIService',
    ['apiregistration.k8s.io/v1', 'apiregistration.k8s.io/v1beta1'],
    apiServiceRule,
  ),
  ...covering('Certificate', [`cert-manager.io/${ANY_VERSION}`], certificateRule),
  ...covering('Rollout', [`argoproj.io/${ANY_VERSION}`], rolloutRule),
  ...covering('Workflow', [`argoproj.io/${ANY_VERSION}`], workflowRule),
]);

/** The rule of a kind in {@link STATUS_RULES}, or undefined if the kind follows the generic rule. */
export function ruleOf({ apiVersion, kind }: WorkloadObject): KindRule | undefined {
  const group = apiVersion.slice(0, apiVersion.indexOf('/') + 1);
  return (
    STATUS_RULES.get(`${apiVersion}/${kind}`) ?? STATUS_RULES.get(`${group}${ANY_VERSION}/${kind}`)
  );
}

/**
 * Annotation on a workload object in the WDS. If it is `"true"`, the generations in the status that is copied from its
 * only WEC are translated to the WDS's numbers. Otherwise, the copy is verbatim (docs/architecture.md, section 9.5).
 */
const TRANSLATE_GENERATION = 'starfold.dev/translate-observed-generation';

const NOTHING: StatusFold = {
  empty: null,
  lift: () => null,
  merge: () => null,
  finish: () => undefined,
};

/**
 * A fold in which a WEC counts as one that has returned nothing if it reports another object than the one in the WDS
 * (`createLifeCheck`).
 */
function ofThisLife<Result>(
  fold: Fold<PerWecRow, JsonValue, Result>,
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): Fold<PerWecRow, JsonValue, Result> {
  const otherLife = createLifeCheck(workload, specsByHash);
  return {
    ...fold,
    lift(perWec) {
      const { wec, row } = perWec;
      return fold.lift(row !== undefined && otherLife(row) !== undefined ? { wec } : perWec);
    },
  };
}

/**
 * The fold that aggregates the `.status` of a workload object (multi-WEC status).
 *
 * @param workload the object as it is in the WDS
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name (`WecRow.specHash`), read while
 *   rows are lifted. A row with a source generation does not need its spec, except that the rule for Deployments then
 *   assumes that its WEC wants as many replicas as the WDS.
 */
export function statusFold(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): StatusFold {
  const generations = createGenerationTranslator(workload, specsByHash);
  const rule = ruleOf(workload);
  const fold =
    rule === undefined
      ? genericStatusFold(workload, generations)
      : rule({ workload, specsByHash, generations });
  return ofThisLife(fold, workload, specsByHash);
}

/**
 * The fold of {@link statusFold} with the WECs that decide each field. It costs more, so only explanations use it.
 *
 * @param specsByHash as in {@link statusFold}
 */
export function explainingStatusFold(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): ExplainingFold {
  const generations = createGenerationTranslator(workload, specsByHash);
  const rule = ruleOf(workload);
  const fold =
    rule === undefined
      ? explainingGenericFold(workload, generations)
      : rule.explaining({ workload, specsByHash, generations });
  return ofThisLife(fold, workload, specsByHash);
}

function isTranslated({ metadata }: WorkloadObject): boolean {
  return at(metadata, 'annotations', TRANSLATE_GENERATION) === 'true';
}

function copyOf(workload: WorkloadObject, specsByHash: ReadonlyMap<string, JsonValue>): StatusFold {
  return isTranslated(workload)
    ? copyStatusFold(createGenerationTranslator(workload, specsByHash))
    : copyStatusFold();
}

/**
 * The fold that a decision requests. Its result is the input of `statusOutcome`. It takes the rows of the qualified
 * WECs.
 */
export function statusFoldFor(
  action: StatusAction,
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): StatusFold {
  switch (action) {
    case 'copy':
      return ofThisLife(copyOf(workload, specsByHash), workload, specsByHash);
    case 'aggregate':
      return statusFold(workload, specsByHash);
    case 'clear':
    case 'leave':
      return NOTHING;
  }
}
