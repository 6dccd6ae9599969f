import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import { customResourceDefinitionKstatus } from './custom-resource-definition.ts';
import { daemonSetKstatus } from './daemon-set.ts';
import { deploymentKstatus } from './deployment.ts';
import { jobKstatus } from './job.ts';
import { conditionsOf, type ObservedObject, textAt } from './observed-object.ts';
import { persistentVolumeClaimKstatus } from './persistent-volume-claim.ts';
import { podKstatus } from './pod.ts';
import { replicaSetKstatus } from './replica-set.ts';
import { serviceKstatus } from './service.ts';
import { statefulSetKstatus } from './stateful-set.ts';
import { current, failed, inProgress, type KstatusVerdict, unknown } from './verdict.ts';

type Rule = (observed: ObservedObject) => KstatusVerdict;

const alwaysReady: Rule = () => current('Resource is always ready');

/** The kinds with a rule of their own, by group and kind, because kstatus does not check the version. */
const RULES: ReadonlyMap<string, Rule> = new Map([
  ['/ConfigMap', alwaysReady],
  ['/PersistentVolumeClaim', persistentVolumeClaimKstatus],
  ['/Pod', podKstatus],
  ['/Secret', alwaysReady],
  ['/Service', serviceKstatus],
  ['apiextensions.k8s.io/CustomResourceDefinition', customResourceDefinitionKstatus],
  ['apps/DaemonSet', daemonSetKstatus],
  ['apps/Deployment', deploymentKstatus],
  ['apps/ReplicaSet', replicaSetKstatus],
  ['apps/StatefulSet', statefulSetKstatus],
  ['batch/CronJob', alwaysReady],
  ['batch/Job', jobKstatus],
  ['extensions/DaemonSet', daemonSetKstatus],
  ['extensions/Deployment', deploymentKstatus],
  ['extensions/ReplicaSet', replicaSetKstatus],
  ['policy/PodDisruptionBudget', () => current('AllowedDisruptions has been computed.')],
]);

function isInteger(value: JsonValue): value is number | bigint {
  return typeof value === 'bigint' || Number.isSafeInteger(value);
}

function generationVerdict(object: JsonObject): KstatusVerdict | undefined {
  const generation = at(object, 'metadata', 'generation') ?? null;
  const observed = at(object, 'status', 'observedGeneration') ?? null;
  if (generation === null) return undefined;
  if (!isInteger(generation)) return unknown('metadata.generation is not an integer');
  if (observed === null) return undefined;
  if (!isInteger(observed)) return unknown('status.observedGeneration is not an integer');
  if (observed === generation) return undefined;
  const kind = textAt(object, 'kind');
  return inProgress(
    'LatestGenerationNotObserved',
    `${kind} generation is ${generation}, but latest observed generation is ${observed}`,
  );
}

/**
 * The verdict of the standard conditions of kstatus, if a controller writes them. The first one that is True decides.
 */
function standardVerdict({ conditions }: ObservedObject): KstatusVerdict | undefined {
  const found = conditions.find(
    ({ type, status }) => (type === 'Reconciling' || type === 'Stalled') && status === 'True',
  );
  if (found === undefined) return undefined;
  return (found.type === 'Stalled' ? failed : inProgress)(found.reason, found.message);
}

function readyVerdict({ conditions }: ObservedObject): KstatusVerdict {
  const ready = conditions.find(
    ({ type, status }) => type === 'Ready' && ['True', 'False', 'Unknown'].includes(status),
  );
  if (ready === undefined) return current('Resource is current');
  return ready.status === 'True'
    ? current('Resource is Ready')
    : inProgress(ready.reason, ready.message);
}

function ruleOf(object: JsonObject): Rule {
  const apiVersion = textAt(object, 'apiVersion');
  const group = apiGroup(apiVersion);
  return RULES.get(`${group}/${textAt(object, 'kind')}`) ?? readyVerdict;
}

/**
 * kstatus of one object as it is in its cluster (kubernetes-sigs/cli-utils, `pkg/kstatus/status`). The order is:
 * deletion, the generation, the conditions Reconciling and Stalled, then the rule of the kind, or the condition Ready
 * if the kind has no rule. If kstatus would fail, mainly because of fields of the wrong type, the result is Unknown.
 *
 * @param object the whole object: apiVersion, kind, metadata, spec, status
 * @param nowMs the current time in milliseconds since the epoch, because a pod has 15 seconds to be scheduled
 */
export function assessKstatus(object: JsonObject, nowMs: number): KstatusVerdict {
  if ((at(object, 'metadata', 'deletionTimestamp') ?? '') !== '')
    return {
      status: 'Terminating',
      message: 'Resource scheduled for deletion',
      conditions: [],
    };
  const lag = generationVerdict(object);
  if (lag !== undefined) return lag;
  const conditions = conditionsOf(object);
  if (conditions === undefined) return unknown('status.conditions is not a list');
  const observed: ObservedObject = { object, conditions, nowMs };
  return standardVerdict(observed) ?? ruleOf(object)(observed);
}
