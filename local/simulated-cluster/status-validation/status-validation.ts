import { isIP, isIPv6 } from 'node:net';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { validateJob } from './job.ts';
import { validatePod } from './pod.ts';
import {
  int,
  isSet,
  map,
  notNegative,
  objects,
  type StatusUpdate,
  type StatusValidation,
  str,
} from './status-update.ts';

/** A counter must not exceed another. */
function atMost({ next, refuse }: StatusUpdate, limit: string, ...fields: readonly string[]): void {
  for (const field of fields)
    if (int(next[field]) > int(next[limit]))
      refuse(field, `cannot be greater than status.${limit}`);
}

/** A pointer. Once set, it may not become lower or absent, not even from 0. */
function notDecremented({ old, next, refuse }: StatusUpdate, field: string): void {
  if (!isSet(old[field])) return;
  if (!isSet(next[field]) || int(next[field]) < int(old[field]))
    refuse(field, 'cannot be decremented');
}

/** pkg/apis/apps/validation, ValidateDeploymentStatusUpdate. */
function validateDeployment(update: StatusUpdate): void {
  const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'];
  notNegative(update, 'observedGeneration', ...counts, 'unavailableReplicas');
  notNegative(update, 'terminatingReplicas', 'collisionCount');
  atMost(update, 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas');
  atMost(update, 'readyReplicas', 'availableReplicas');
  notDecremented(update, 'collisionCount');
}

/** pkg/apis/apps/validation, ValidateReplicaSetStatusUpdate. */
function validateReplicaSet(update: StatusUpdate): void {
  const counts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];
  notNegative(update, 'replicas', ...counts, 'observedGeneration', 'terminatingReplicas');
  atMost(update, 'replicas', ...counts);
  atMost(update, 'readyReplicas', 'availableReplicas');
}

/** pkg/apis/apps/validation, ValidateStatefulSetStatusUpdate. */
function validateStatefulSet(update: StatusUpdate): void {
  const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];
  notNegative(update, 'replicas', ...counts, 'observedGeneration', 'collisionCount');
  atMost(update, 'replicas', ...counts);
  atMost(update, 'readyReplicas', 'availableReplicas');
  notDecremented(update, 'collisionCount');
}

/** pkg/apis/apps/validation, ValidateDaemonSetStatusUpdate. */
function validateDaemonSet(update: StatusUpdate): void {
  notNegative(update, 'currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled');
  notNegative(update, 'numberReady', 'observedGeneration', 'updatedNumberScheduled');
  notNegative(update, 'numberAvailable', 'numberUnavailable', 'collisionCount');
  notDecremented(update, 'collisionCount');
}

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^${DNS_LABEL}(\\.${DNS_LABEL})*$`);
const MAX_SUBDOMAIN = 253;

/** Like the gate StrictIPCIDRValidation (1.36): no leading zeros, no IPv4-mapped IPv6 address, no zone. */
function isStrictIp(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  return !(isIPv6(text) && /^::ffff:/i.test(text));
}

/** The common rules of Services and Ingresses. A stored address may stay even if it is invalid. */
function validateEntries({ old, next, refuse }: StatusUpdate): void {
  const previous = objects(map(old['loadBalancer'])['ingress']).map((entry) => str(entry['ip']));
  for (const { ip, hostname } of objects(map(next['loadBalancer'])['ingress'])) {
    if (str(ip) !== '' && !previous.includes(str(ip)) && !isStrictIp(str(ip)))
      refuse('loadBalancer.ingress.ip', 'must be a valid IP address');
    const name = str(hostname);
    if (name === '') continue;
    if (name.length > MAX_SUBDOMAIN || !SUBDOMAIN.test(name) || isIP(name) !== 0)
      refuse('loadBalancer.ingress.hostname', 'must be a DNS name, not an IP address');
  }
}

function validateIpMode({ ip, ipMode }: JsonObject, refuse: StatusUpdate['refuse']): void {
  if (!isSet(ipMode)) return;
  if (str(ip) === '')
    refuse('loadBalancer.ingress.ipMode', 'may not be specified when `ip` is not set');
  else if (ipMode !== 'VIP' && ipMode !== 'Proxy')
    refuse('loadBalancer.ingress.ipMode', 'unsupported value');
}

/** pkg/apis/core/validation, ValidateServiceStatusUpdate. `ipMode` is defaulted before. */
function validateService(update: StatusUpdate): void {
  const { spec, next, refuse } = update;
  const entries = objects(map(next['loadBalancer'])['ingress']);
  if (spec['type'] !== 'LoadBalancer') {
    if (entries.length > 0)
      refuse('loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  validateEntries(update);
  for (const entry of entries) validateIpMode(entry, refuse);
}

const RESIZE_STATUSES: readonly unknown[] = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizePending',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
];

/** pkg/apis/core/validation, ValidatePersistentVolumeClaimStatusUpdate. The names of resources are not modelled. */
function validatePersistentVolumeClaim({ next, refuse }: StatusUpdate): void {
  for (const field of ['capacity', 'allocatedResources'])
    for (const quantity of Object.values(map(next[field])))
      if (str(quantity).startsWith('-')) refuse(field, 'must be a valid resource quantity');
  for (const resize of Object.values(map(next['allocatedResourceStatuses'])))
    if (!RESIZE_STATUSES.includes(resize)) refuse('allocatedResourceStatuses', 'unsupported value');
}

/** pkg/apis/autoscaling/validation, ValidateHorizontalPodAutoscalerStatusUpdate. */
function validateHorizontalPodAutoscaler(update: StatusUpdate): void {
  notNegative(update, 'currentReplicas', 'desiredReplicas');
}

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const MAX_REASON = 1024;
const MAX_MESSAGE = 32 * 1024;
const LABEL_PART = '[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?';
const QUALIFIED_NAME = new RegExp(`^(${DNS_LABEL}(\\.${DNS_LABEL})*/)?${LABEL_PART}$`);
const TRUTHS: readonly unknown[] = ['True', 'False', 'Unknown'];

/** apimachinery, ValidateCondition: the first error of one condition. */
function conditionRefusal(entry: JsonObject): string | undefined {
  const reason = str(entry['reason']);
  const checks: readonly (readonly [boolean, string])[] = [
    [QUALIFIED_NAME.test(str(entry['type'])), 'type: invalid'],
    [TRUTHS.includes(entry['status']), 'status: unsupported value'],
    [int(entry['observedGeneration']) >= 0, 'observedGeneration: negative'],
    [isSet(entry['lastTransitionTime']), 'lastTransitionTime: required'],
    [REASON.test(reason) && reason.length <= MAX_REASON, 'reason: required and of a certain form'],
    [str(entry['message']).length <= MAX_MESSAGE, 'message: too long'],
  ];
  return checks.find(([holds]) => !holds)?.[1];
}

/** pkg/apis/policy/validation, ValidatePodDisruptionBudgetStatusUpdate. */
function validatePodDisruptionBudget(update: StatusUpdate): void {
  const seen = new Set<string>();
  for (const entry of objects(update.next['conditions'])) {
    const refusal = conditionRefusal(entry);
    if (refusal !== undefined) update.refuse('conditions', refusal);
    if (seen.has(str(entry['type']))) update.refuse('conditions', 'type: duplicate');
    seen.add(str(entry['type']));
  }
  notNegative(update, 'disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods');
}

const DNS_1035 = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** apiextensions, ValidateCustomResourceDefinitionStatus: only the names. */
function validateCustomResourceDefinition({ next, refuse }: StatusUpdate): void {
  const names = map(next['acceptedNames']);
  const { plural, singular, kind, listKind } = names;
  for (const name of [plural, singular, kind, listKind].map(str))
    if (name !== '' && !DNS_1035.test(name.toLowerCase())) refuse('acceptedNames', 'invalid');
  if (str(kind) !== '' && kind === listKind) refuse('acceptedNames', 'kind and listKind the same');
}

/** kube-aggregator, ValidateAPIServiceStatus. */
function validateApiService({ next, refuse }: StatusUpdate): void {
  for (const { status } of objects(next['conditions']))
    if (!TRUTHS.includes(status)) refuse('conditions', 'status: unsupported value');
}

const VALIDATIONS: Readonly<Record<string, StatusValidation>> = {
  'apps/v1/Deployment': validateDeployment,
  'apps/v1/ReplicaSet': validateReplicaSet,
  'apps/v1/StatefulSet': validateStatefulSet,
  'apps/v1/DaemonSet': validateDaemonSet,
  'batch/v1/Job': validateJob,
  'v1/Pod': validatePod,
  'v1/Service': validateService,
  'v1/PersistentVolumeClaim': validatePersistentVolumeClaim,
  'networking.k8s.io/v1/Ingress': validateEntries,
  'autoscaling/v1/HorizontalPodAutoscaler': validateHorizontalPodAutoscaler,
  'autoscaling/v2/HorizontalPodAutoscaler': validateHorizontalPodAutoscaler,
  'policy/v1/PodDisruptionBudget': validatePodDisruptionBudget,
  'apiextensions.k8s.io/v1/CustomResourceDefinition': validateCustomResourceDefinition,
  'apiregistration.k8s.io/v1/APIService': validateApiService,
};

/** One reason why a status is rejected. */
export interface StatusRefusal {
  /** Path of the field: `status.readyReplicas`. */
  readonly field: string;
  readonly message: string;
}

function messageOf(value: JsonValue | undefined, why: string): string {
  const isShown = typeof value === 'number' || typeof value === 'string';
  return `Invalid value: ${isShown ? `${JSON.stringify(value)}: ` : ''}${why}`;
}

/**
 * Why an API server would reject a write of `.status` (422), by the source of Kubernetes 1.36 or, if an older version
 * from 1.31 on is stricter, by that version. The list is empty if it would not. Kinds that are not modelled accept
 * every status. For what cannot be decoded at all (400), see `undecodable`.
 *
 * @param object the present object with its status, which is absent or `{}` before the first write
 */
export function refusals(object: JsonObject, status: JsonObject): readonly StatusRefusal[] {
  const found: StatusRefusal[] = [];
  VALIDATIONS[`${str(object['apiVersion'])}/${str(object['kind'])}`]?.({
    spec: map(object['spec']),
    old: map(object['status']),
    next: status,
    refuse: (field, why) =>
      found.push({
        field: `status.${field}`,
        message: messageOf(at(status, ...field.split('.')), why),
      }),
  });
  return found;
}
