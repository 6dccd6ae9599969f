import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { errorRule, progressRule } from './condition-rules.ts';
import { activeRule, displayRule, loadBalancerRule, phaseRule } from './field-rules.ts';
import { kstatusFlagRule, kstatusStateRule } from './kstatus-rules.ts';
import { conditionsOf, withoutIgnored } from './observed-conditions.ts';
import type { ResourceSummary, Rule } from './rule.ts';

/** What to summarize a resource with. */
export interface SummaryOptions {
  /** The current time in milliseconds since the epoch. */
  readonly nowMs: number;
  /** `spec.options.ignore.conditions`: a condition that has all members of one of them does not count. */
  readonly ignoreConditions?: readonly JsonObject[];
}

/** Fleet's summarizers, in their order. */
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
 * Fleet's summary of a resource as it stands in its cluster (rancher/fleet, `internal/cmd/agent/deployer/summary`). The
 * two summarizers that read `metadata.created` and `metadata.removed` are left out: API servers keep no such fields.
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

/** Whether a resource is ready: nothing wrong, and nothing under way (Fleet's code, `Summary.IsReady`). */
export function isReadySummary({ error, transitioning }: ResourceSummary): boolean {
  return !error && !transitioning;
}

/** A summary as it stands in `NonReadyStatus.summary`: without flags that are not set, and without an empty list. */
export function summaryJson({ state, error, transitioning, message }: ResourceSummary): JsonObject {
  return {
    state,
    ...(error ? { error } : {}),
    ...(transitioning ? { transitioning } : {}),
    ...(message.length === 0 ? {} : { message }),
  };
}
