import type { ObservedCondition } from '#shared/core/health/kstatus/observed-object.ts';
import { member } from '#shared/core/json.ts';
import { looseText } from './loose-values.ts';
import { changed, type ObservedResource, type ResourceSummary, type Rule } from './rule.ts';

type StatusByType = ReadonlyMap<string, string>;

/** The status of a condition that is an error, for the kinds that Fleet knows (Fleet's code, `GVKConditionErrorMapping`). */
const ERRORS: ReadonlyMap<string, StatusByType> = new Map([
  [
    'apps/v1 Deployment',
    new Map([
      ['ReplicaFailure', 'True'],
      ['Progressing', 'False'],
    ]),
  ],
  ['apps/v1 ReplicaSet', new Map([['ReplicaFailure', 'True']])],
  ['helm.cattle.io/v1 HelmChart', new Map([['Failed', 'True']])],
  [
    'v1 Node',
    new Map([
      ['OutOfDisk', 'True'],
      ['MemoryPressure', 'True'],
      ['DiskPressure', 'True'],
      ['NetworkUnavailable', 'True'],
    ]),
  ],
]);
/** The status of a condition that is an error, for every other kind. */
const OTHER_ERRORS: StatusByType = new Map([
  ['Stalled', 'True'],
  ['Failed', 'True'],
]);

/** The state of a resource whose condition is not True. False is an error, Unknown is a transition. */
const SETTLED_WHEN_TRUE: StatusByType = new Map([
  ['AbleToScale', 'pending'],
  ['Active', 'activating'],
  ['AddonDeploy', 'provisioning'],
  ['AgentDeployed', 'provisioning'],
  ['BackingNamespaceCreated', 'configuring'],
  ['Built', 'building'],
  ['CertsGenerated', 'provisioning'],
  ['ConfigOK', 'configuring'],
  ['Created', 'creating'],
  ['CreatorMadeOwner', 'configuring'],
  ['DefaultNamespaceAssigned', 'configuring'],
  ['DefaultNetworkPolicyCreated', 'configuring'],
  ['DefaultProjectCreated', 'configuring'],
  ['Deployed', 'deploying'],
  ['DockerProvisioned', 'provisioning'],
  ['Downloaded', 'downloading'],
  ['Drained', 'draining'],
  ['Inactive', 'deactivating'],
  ['InitialRolesPopulated', 'activating'],
  ['Initialized', 'initializing'],
  ['Installed', 'installing'],
  ['NodesCreated', 'provisioning'],
  ['Pending', 'pending'],
  ['PodScheduled', 'scheduling'],
  ['Processed', 'processed'],
  ['Provisioned', 'provisioning'],
  ['Reconciled', 'reconciling'],
  ['Refreshed', 'refreshed'],
  ['Registered', 'registering'],
  ['Removed', 'removing'],
  ['RunCompleted', 'running'],
  ['Saved', 'saving'],
  ['ScalingActive', 'pending'],
  ['Updated', 'updating'],
  ['Updating', 'updating'],
  ['Upgraded', 'upgrading'],
  ['Waiting', 'waiting'],
  ['etcd', 'provisioning'],
]);

/** The state of a resource whose condition is not True. False is a transition, Unknown is an error. */
const READY_WHEN_TRUE: ReadonlyMap<string, (condition: ObservedCondition) => string> = new Map([
  ['Available', () => 'updating'],
  ['BootstrapReady', ({ reason }: ObservedCondition) => reason],
  ['Completed', () => 'activating'],
  ['InfrastructureReady', ({ reason }: ObservedCondition) => reason],
  ['NodeHealthy', ({ reason }: ObservedCondition) => reason],
  ['Ready', () => 'unavailable'],
]);

/**
 * Conditions that are errors, by their kind or by the reason `Error`. The state is `error` unless there is a more specific one.
 */
export const errorRule: Rule = ({ object, conditions }, before) => {
  const gvk = `${looseText(member(object, 'apiVersion'))} ${looseText(member(object, 'kind'))}`;
  const errors = ERRORS.get(gvk) ?? OTHER_ERRORS;
  return conditions
    .filter(({ type, status, reason }) => reason === 'Error' || errors.get(type) === status)
    .reduce((summary, { message }) => {
      const state = ['', 'active'].includes(summary.state) ? 'error' : summary.state;
      return changed(summary, { state, error: true, message });
    }, before);
};

function settled(
  summary: ResourceSummary,
  { type, status, message }: ObservedCondition,
): ResourceSummary {
  const state = SETTLED_WHEN_TRUE.get(type);
  if (state === undefined) return summary;
  if (status === 'False') return changed(summary, { state, error: true, message });
  return status === 'Unknown' && summary.state === ''
    ? changed(summary, { state, transitioning: true, message })
    : summary;
}

function reconciling(summary: ResourceSummary, condition: ObservedCondition): ResourceSummary {
  const { type, status, message } = condition;
  return summary.state === '' && type === 'Reconciling' && status === 'True'
    ? changed(summary, { state: 'reconciling', transitioning: true, message })
    : summary;
}

function isNotReady({ type, status }: ObservedCondition): boolean {
  return type === 'Ready' && status === 'False';
}

function ready(summary: ResourceSummary, condition: ObservedCondition): ResourceSummary {
  const { type, status, message } = condition;
  const state = READY_WHEN_TRUE.get(type)?.(condition);
  if (state === undefined || summary.state !== '' || isNotReady(condition)) return summary;
  if (status === 'False') return changed(summary, { state, transitioning: true, message });
  return status === 'Unknown' ? changed(summary, { state, error: true, message }) : summary;
}

/** Ready=False is the least specific condition. It only counts if no other condition has set a state. */
function notReady({ conditions }: ObservedResource, summary: ResourceSummary): ResourceSummary {
  const found = summary.state === '' ? conditions.findLast(isNotReady) : undefined;
  return found === undefined
    ? summary
    : changed(summary, {
        state: 'unavailable',
        transitioning: true,
        message: found.message,
      });
}

/**
 * Conditions of well-known types: whether the resource is in transition, or has an error (Fleet's code, `checkTransitioning`).
 */
export const progressRule: Rule = (observed, before) =>
  notReady(
    observed,
    [settled, reconciling, ready].reduce(
      (summary, read) => observed.conditions.reduce(read, summary),
      before,
    ),
  );
