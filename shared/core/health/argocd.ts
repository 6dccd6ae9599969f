import { at, isArray, type JsonObject, member } from '#shared/core/json.ts';
import { assessApiService } from './api-service.ts';
import { assessCertificate } from './certificate.ts';
import { assessCronJob } from './cron-job.ts';
import { assessCustomResourceDefinition } from './custom-resource-definition.ts';
import { assessDaemonSet } from './daemon-set.ts';
import { assessDeployment } from './deployment.ts';
import { assessHorizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';
import { assessIngress } from './ingress.ts';
import { assessJob } from './job.ts';
import { assessPersistentVolumeClaim } from './persistent-volume-claim.ts';
import { assessPod } from './pod.ts';
import { assessPodDisruptionBudget } from './pod-disruption-budget.ts';
import { assessReplicaSet } from './replica-set.ts';
import { assessRollout } from './rollout.ts';
import { assessService } from './service.ts';
import { assessStatefulSet } from './stateful-set.ts';
import type { ArgoCdVerdict, ArgoCdVersion } from './verdict.ts';
import { assessWorkflow } from './workflow.ts';

interface HealthRule {
  /** The API versions that Argo CD's rule accepts, or `any` if the rule does not check the version. */
  readonly versions: readonly string[] | 'any';
  /** The versions that only Argo CD 2.14 accepts. */
  readonly olderVersions?: readonly string[];
  /** The first version of Argo CD with this rule. If absent, all versions have it. */
  readonly since?: '3';
  /** The kind in Argo CD's message about an unsupported version. If absent, the kind as it is. */
  readonly called?: string;
  assess(object: JsonObject, version: ArgoCdVersion): ArgoCdVerdict;
}

/** Argo CD's built-in rules, by group and kind. */
const RULES: ReadonlyMap<string, HealthRule> = new Map<string, HealthRule>([
  ['apps/Deployment', { versions: ['v1'], assess: assessDeployment }],
  ['apps/ReplicaSet', { versions: ['v1'], assess: assessReplicaSet }],
  ['apps/StatefulSet', { versions: ['v1'], assess: assessStatefulSet }],
  ['apps/DaemonSet', { versions: ['v1'], assess: assessDaemonSet }],
  ['batch/Job', { versions: ['v1'], assess: assessJob }],
  ['batch/CronJob', { versions: 'any', since: '3', assess: assessCronJob }],
  [
    'autoscaling/HorizontalPodAutoscaler',
    {
      versions: ['v1', 'v2'],
      olderVersions: ['v2beta1', 'v2beta2'],
      called: 'HPA',
      assess: assessHorizontalPodAutoscaler,
    },
  ],
  ['policy/PodDisruptionBudget', { versions: 'any', assess: assessPodDisruptionBudget }],
  ['apiregistration.k8s.io/APIService', { versions: ['v1', 'v1beta1'], assess: assessApiService }],
  [
    'apiextensions.k8s.io/CustomResourceDefinition',
    { versions: 'any', since: '3', assess: assessCustomResourceDefinition },
  ],
  ['/Pod', { versions: ['v1'], assess: assessPod }],
  ['/PersistentVolumeClaim', { versions: ['v1'], assess: assessPersistentVolumeClaim }],
  ['/Service', { versions: ['v1'], assess: assessService }],
  ['networking.k8s.io/Ingress', { versions: 'any', assess: assessIngress }],
  ['extensions/Ingress', { versions: 'any', assess: assessIngress }],
  ['cert-manager.io/Certificate', { versions: 'any', assess: assessCertificate }],
  ['argoproj.io/Rollout', { versions: 'any', assess: assessRollout }],
  ['argoproj.io/Workflow', { versions: 'any', assess: assessWorkflow }],
]);

const HOOK_FINALIZER = 'argocd.argoproj.io/hook-finalizer';

function isPendingDeletion(object: JsonObject): boolean {
  if (typeof at(object, 'metadata', 'deletionTimestamp') !== 'string') return false;
  const finalizers = at(object, 'metadata', 'finalizers');
  return !(isArray(finalizers) && finalizers.includes(HOOK_FINALIZER));
}

function textOf(object: JsonObject, key: string): string {
  const value = member(object, key);
  return typeof value === 'string' ? value : '';
}

function knows(rule: HealthRule, apiVersion: string, version: ArgoCdVersion): boolean {
  const { versions, olderVersions = [] } = rule;
  if (versions === 'any' || versions.includes(apiVersion)) return true;
  return version === '2.14' && olderVersions.includes(apiVersion);
}

/**
 * Argo CD's health of one object as it is in its cluster. null if Argo CD has no rule for the kind, so that the object
 * does not count in the health of an application.
 *
 * @param object the whole object: apiVersion, kind, metadata, spec, status
 * @param version selects the rules if the versions of Argo CD differ
 */
export function assessArgoCd(
  object: JsonObject,
  version: ArgoCdVersion = '3',
): ArgoCdVerdict | null {
  if (isPendingDeletion(object)) return { status: 'Progressing', message: 'Pending deletion' };
  const [kind, apiVersion] = [textOf(object, 'kind'), textOf(object, 'apiVersion')];
  const slash = apiVersion.indexOf('/');
  const rule = RULES.get(`${apiVersion.slice(0, Math.max(slash, 0))}/${kind}`);
  if (rule === undefined || (rule.since === '3' && version !== '3')) return null;
  const { called = kind } = rule;
  if (!knows(rule, apiVersion.slice(slash + 1), version))
    return { status: 'Unknown', message: `unsupported ${called} GVK: ${apiVersion}, Kind=${kind}` };
  return rule.assess(object, version);
}
