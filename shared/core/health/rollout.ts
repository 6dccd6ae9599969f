import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  textAt,
} from '#shared/core/json.ts';
import { generationOf, observedGeneration } from '#shared/core/observed-generation.ts';
import { countAt } from './count-at.ts';
import type { ArgoCdStatus, ArgoCdVerdict } from './verdict.ts';

/** Argo CD's health for the phases of Argo Rollouts (`RolloutPhase`), and for those that are healths of Argo CD. */
const VERDICTS: ReadonlyMap<JsonValue, ArgoCdStatus> = new Map<JsonValue, ArgoCdStatus>([
  ['Healthy', 'Healthy'],
  ['Paused', 'Suspended'],
  ['Suspended', 'Suspended'],
  ['Progressing', 'Progressing'],
  ['Missing', 'Missing'],
  ['Degraded', 'Degraded'],
  ['Unknown', 'Unknown'],
]);

/**
 * Annotation that Argo Rollouts sets on a Rollout with `spec.workloadRef`: the generation of that workload. Argo CD compares
 * it with `status.workloadObservedGeneration`.
 */
export const WORKLOAD_GENERATION = 'rollout.argoproj.io/workload-generation';

/** Reasons of the condition Progressing that are failures, in releases of Argo Rollouts without `status.phase`. */
const FAILURES: ReadonlySet<string> = new Set(['RolloutAborted', 'ProgressDeadlineExceeded']);

/** Argo CD's health for a phase. */
export function verdictOfPhase(phase: JsonValue): ArgoCdStatus {
  return VERDICTS.get(phase) ?? 'Unknown';
}

/**
 * Annotations of an object in a WEC of which only the status is known. Its workload generation is assumed to be the one that its
 * controller has observed. Only the controller in the WEC knows it, so the WDS's annotation says nothing about it.
 */
export function withObservedWorkload(annotations: JsonValue, status: JsonValue): JsonValue {
  const observed = member(status, 'workloadObservedGeneration');
  if (!isObject(annotations)) return annotations;
  const { [WORKLOAD_GENERATION]: _wds, ...others } = annotations;
  return observed === undefined ? others : { ...others, [WORKLOAD_GENERATION]: observed };
}

/** A status that states no generation, or a later one, is one of Argo Rollouts before 0.10. It counts as observed. */
function isGenerationObserved(object: JsonObject): boolean {
  const observed = observedGeneration(at(object, 'status'));
  return observed === undefined || observed >= countAt(object, 'metadata', 'generation');
}

function isWorkloadObserved(object: JsonObject): boolean {
  const annotations = at(object, 'metadata', 'annotations') ?? null;
  if ((at(object, 'spec', 'workloadRef') ?? null) === null || annotations === null) return true;
  const wanted = generationOf(member(annotations, WORKLOAD_GENERATION));
  return wanted === generationOf(at(object, 'status', 'workloadObservedGeneration'));
}

function waiting(message: string): ArgoCdVerdict {
  return { status: 'Progressing', message };
}

function isFailure(entry: JsonValue): boolean {
  const type = member(entry, 'type');
  if (type === 'InvalidSpec') return true;
  return type === 'Progressing' && FAILURES.has(textAt(entry, 'reason'));
}

function isPaused(object: JsonObject): boolean {
  const conditions = at(object, 'status', 'pauseConditions');
  return (isArray(conditions) && conditions.length > 0) || at(object, 'spec', 'paused') === true;
}

/** `status.stableRS`, which older releases have below `canary`. */
function stableOf(object: JsonObject): string {
  return textAt(object, 'status', 'stableRS') || textAt(object, 'status', 'canary', 'stableRS');
}

/** What a Rollout with the strategy blue-green waits for. undefined if it waits for nothing. */
function blueGreenWait(object: JsonObject, wanted: string): string | undefined {
  const stable = stableOf(object);
  if (textAt(object, 'status', 'blueGreen', 'activeSelector') !== wanted)
    return 'active service cutover pending';
  return stable === '' || stable === wanted ? undefined : 'waiting for analysis to complete';
}

/** What a Rollout with the strategy canary waits for. undefined if it waits for nothing. */
function canaryWait(object: JsonObject, wanted: string): string | undefined {
  const old = countAt(object, 'status', 'replicas') - countAt(object, 'status', 'updatedReplicas');
  if (old > 0) return 'Waiting for roll out to finish: old replicas are pending termination';
  return stableOf(object) === wanted ? undefined : 'Waiting for rollout to finish steps';
}

function countersWait(object: JsonObject): string | undefined {
  const wanted = at(object, 'spec', 'replicas') ?? null;
  const updated = countAt(object, 'status', 'updatedReplicas');
  if (updated < (wanted === null ? 1 : countAt(object, 'spec', 'replicas')))
    return 'Waiting for roll out to finish: More replicas need to be updated';
  return countAt(object, 'status', 'availableReplicas') < updated
    ? 'Waiting for roll out to finish: updated replicas are still becoming available'
    : undefined;
}

function strategyWait(object: JsonObject, wanted: string): string | undefined {
  if (isObject(at(object, 'spec', 'strategy', 'blueGreen'))) return blueGreenWait(object, wanted);
  return isObject(at(object, 'spec', 'strategy', 'canary'))
    ? canaryWait(object, wanted)
    : undefined;
}

/** The health of a Rollout of a release of Argo Rollouts without `status.phase`, which is one before 1.0. */
function assessWithoutPhase(object: JsonObject): ArgoCdVerdict {
  const conditions = at(object, 'status', 'conditions');
  const failure = (isArray(conditions) ? conditions : []).find(isFailure);
  if (failure !== undefined) return { status: 'Degraded', message: textAt(failure, 'message') };
  // The script reads the list without a check.
  if (!isArray(conditions) && !isObject(conditions))
    return { status: 'Unknown', message: 'status has neither a phase nor conditions' };
  if (isPaused(object)) return { status: 'Suspended', message: 'Rollout is paused' };
  const wanted = textAt(object, 'status', 'currentPodHash');
  if (wanted === '')
    return waiting('Waiting for rollout to finish: status has not been reconciled.');
  const wait = countersWait(object) ?? strategyWait(object, wanted);
  return wait === undefined ? { status: 'Healthy' } : waiting(wait);
}

/**
 * Argo CD's health of a Rollout of Argo Rollouts, of any API version (argo-cd,
 * `resource_customizations/argoproj.io/Rollout/health.lua`). Argo CD 2.14 and 3.6 have the same script. It reads
 * `metadata.generation` and `status.observedGeneration`, and if `spec.workloadRef` is set, {@link WORKLOAD_GENERATION} and
 * `status.workloadObservedGeneration`. Then `status.phase` and `status.message` decide. If there is no phase, it reads
 * conditions, `pauseConditions`, counters and hashes. A Rollout without a status has not been seen by its controller. The
 * script fails on an object without a spec, so the health is Unknown.
 */
export function assessRollout(object: JsonObject): ArgoCdVerdict {
  const unobserved = waiting('Waiting for rollout spec update to be observed');
  if (!isObject(at(object, 'status')) || !isGenerationObserved(object)) return unobserved;
  if (!isObject(at(object, 'spec'))) return { status: 'Unknown', message: 'there is no spec' };
  if (!isWorkloadObserved(object)) return unobserved;
  const phase = at(object, 'status', 'phase') ?? null;
  if (phase === null) return assessWithoutPhase(object);
  if (!VERDICTS.has(phase))
    return { status: 'Unknown', message: 'Lua returned an invalid health status' };
  const message = textAt(object, 'status', 'message');
  return { status: verdictOfPhase(phase), ...(message === '' ? {} : { message }) };
}
