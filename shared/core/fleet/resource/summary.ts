import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import type { ObservedCondition } from '#shared/core/health/kstatus/observed-object.ts';
import type { KstatusStatus } from '#shared/core/health/kstatus/verdict.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '#shared/core/json.ts';
import { errorRule, progressRule } from './condition-rules.ts';
import { looseBoolean, looseText } from './loose-values.ts';
import { changed, type ResourceSummary, type Rule } from './rule.ts';

/** The annotation in which Rancher stores conditions for kinds that have none, such as namespaces. */
const STATUS_ANNOTATION = 'cattle.io/status';

function parsedOrNull(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function listOf(conditions: JsonValue | undefined): readonly JsonValue[] {
  return isArray(conditions) ? conditions : [];
}

/** The conditions of a resource: `.status.conditions`, then Rancher's annotation (Fleet's code, `getRawConditions`). */
function conditionsOf(object: JsonObject): readonly ObservedCondition[] {
  const annotation = looseText(at(object, 'metadata', 'annotations', STATUS_ANNOTATION));
  const annotated = member(annotation === '' ? null : parsedOrNull(annotation), 'conditions');
  return [...listOf(at(object, 'status', 'conditions')), ...listOf(annotated)].map((entry) => ({
    type: looseText(member(entry, 'type')),
    status: looseText(member(entry, 'status')),
    reason: looseText(member(entry, 'reason')),
    message: looseText(member(entry, 'message')),
  }));
}

/**
 * Removes the conditions that are to be ignored, so that kstatus does not see them either (Fleet's code,
 * `excludeIgnoredConditions`). A condition is ignored if it has all members of an entry, so an empty entry ignores every
 * condition.
 *
 * @param ignored `spec.options.ignore.conditions`
 */
function withoutIgnored(object: JsonObject, ignored: readonly JsonObject[]): JsonObject {
  const status = member(object, 'status');
  const conditions = member(status, 'conditions');
  if (ignored.length === 0 || !isObject(status) || !isArray(conditions)) return object;
  const isIgnored = (condition: JsonValue): boolean =>
    isObject(condition) &&
    ignored.some((entry) =>
      Object.entries(entry).every(([key, value]) => member(condition, key) === value),
    );
  const counted = conditions.filter((condition) => !isIgnored(condition));
  return { ...object, status: { ...status, conditions: counted } };
}

/** Fleet's states for the statuses of kstatus. For other statuses, kstatus has failed, and Fleet sets no state. */
const STATES: ReadonlyMap<KstatusStatus, string> = new Map([
  ['InProgress', 'in-progress'],
  ['Failed', 'failed'],
  ['Current', 'active'],
  ['Terminating', 'removing'],
]);
const MESSAGE_SEPARATOR = '; ';

/** The status of kstatus, as the state of a resource that has none yet (Fleet's code, `checkStandard`). */
const kstatusStateRule: Rule = ({ kstatus: { status, message } }, before) => {
  const state = STATES.get(status);
  return before.state === '' && state !== undefined ? changed(before, { state, message }) : before;
};

function withoutRepeats(message: string): string {
  return [...new Set(message.split(MESSAGE_SEPARATOR))].join(MESSAGE_SEPARATOR);
}

/**
 * The status of kstatus, for the flags of every resource, and its message without repeated parts (Fleet's code,
 * `kStatusSummarizer`).
 */
const kstatusFlagRule: Rule = ({ kstatus: { status, message } }, before) => {
  if (!STATES.has(status)) return before;
  return changed(before, {
    error: before.error || status === 'Failed',
    transitioning: before.transitioning || status === 'InProgress' || status === 'Terminating',
    message: withoutRepeats(message),
  });
};

function displayOf(object: JsonObject): JsonObject | undefined {
  return ['display', 'summary']
    .map((field) => at(object, 'status', field))
    .filter(isObject)
    .find((display) => Object.keys(display).length > 0);
}

/** The resource's own summary: `.status.display`, or `.status.summary` if the former is empty. */
const displayRule: Rule = ({ object }, before) => {
  const display = displayOf(object);
  return changed(before, {
    state: looseText(member(display, 'state')),
    error: looseBoolean(member(display, 'error')),
    transitioning: looseBoolean(member(display, 'transitioning')),
    message: looseText(member(display, 'message')),
  });
};

/** `.spec.active` of a resource without a state: `active` or `inactive`. */
const activeRule: Rule = ({ object }, before) => {
  if (before.state !== '') return before;
  const active = looseText(at(object, 'spec', 'active'));
  if (active === 'true') return { ...before, state: 'active' };
  return active === 'false' ? { ...before, state: 'inactive' } : before;
};

/**
 * `.status.phase`: Succeeded and Bound end every transition. If the resource has no state, any other phase becomes its state.
 */
const phaseRule: Rule = ({ object }, before) => {
  const phase = looseText(at(object, 'status', 'phase'));
  if (phase === 'Succeeded' || phase === 'Bound')
    return { ...before, state: phase, transitioning: false };
  return before.state === '' ? { ...before, state: phase } : before;
};

function isLoadBalancer(object: JsonObject): boolean {
  return (
    member(object, 'kind') === 'Service' &&
    ['type', 'serviceKind'].some((field) => at(object, 'spec', field) === 'LoadBalancer')
  );
}

/** A Service of type LoadBalancer that has no address yet. kstatus does not check that. */
const loadBalancerRule: Rule = ({ object }, before) => {
  const addresses = at(object, 'status', 'loadBalancer', 'ingress');
  const hasAddress = isArray(addresses) && addresses.length > 0;
  const isSettled = before.state === '' || before.state === 'active';
  return isSettled && isLoadBalancer(object) && !hasAddress
    ? changed(before, {
        state: 'pending',
        transitioning: true,
        message: 'Load balancer is being provisioned',
      })
    : before;
};

/** Options for the summary of a resource. */
export interface SummaryOptions {
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
  /** `spec.options.ignore.conditions`: a condition that has all members of one of these entries is ignored. */
  readonly ignoreConditions?: readonly JsonObject[];
}

/** Fleet's summarizers, in Fleet's order. */
const RULES: readonly Rule[] = [
  displayRule,
  errorRule,
  progressRule,
  activeRule,
  phaseRule,
  kstatusStateRule,
  loadBalancerRule,
  kstatusFlagRule,
];
const NOTHING: ResourceSummary = { state: '', error: false, transitioning: false, message: [] };

function distinct(messages: readonly string[]): readonly string[] {
  const trimmed = messages.map((message) => message.trim());
  return [...new Set(trimmed)].filter((message) => message !== '');
}

/**
 * Fleet's summary of a resource in its cluster (rancher/fleet, `internal/cmd/agent/deployer/summary`). The two summarizers that
 * read `metadata.created` and `metadata.removed` are left out, because API servers store no such fields.
 *
 * @param object the whole object; fields of the wrong type count as absent
 */
export function summarizeResource(object: JsonObject, options: SummaryOptions): ResourceSummary {
  const counted = withoutIgnored(object, options.ignoreConditions ?? []);
  const observed = {
    object: counted,
    conditions: conditionsOf(counted),
    kstatus: assessKstatus(counted, options.nowMs),
  };
  const found = RULES.reduce((summary, rule) => rule(observed, summary), NOTHING);
  const state = found.state === '' ? 'active' : found.state.toLowerCase();
  return { ...found, state, message: distinct(found.message) };
}

/** Whether a resource is ready: it has no error and is not in transition (Fleet's code, `Summary.IsReady`). */
export function isReadySummary({ error, transitioning }: ResourceSummary): boolean {
  return !error && !transitioning;
}

/** The form of a summary in `NonReadyStatus.summary`, without flags that are not set and without an empty list. */
export function summaryJson({ state, error, transitioning, message }: ResourceSummary): JsonObject {
  return {
    state,
    ...(error ? { error } : {}),
    ...(transitioning ? { transitioning } : {}),
    ...(message.length === 0 ? {} : { message }),
  };
}
