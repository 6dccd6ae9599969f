import { assessRollout, verdictOfPhase, WORKLOAD_GENERATION } from '#shared/core/health/rollout.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { generationOf } from '#shared/core/observed-generation.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import { badness, conditions, fieldsOf, minimum, witness } from '#shared/core/status/component.ts';
import { condition, lowest, oneWec } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import type { RowFacts } from '#shared/core/status/row-facts.ts';

/** The phase that Argo CD judges so. */
function phaseFor(verdict: ArgoCdStatus): string {
  return verdict === 'Suspended' ? 'Paused' : verdict;
}

/** Phase and message of a WEC. If its verdict has another reason, such as an older generation, the phase is the verdict. */
function saying({ status, verdict }: RowFacts): JsonObject {
  const { phase = null } = status;
  return typeof phase === 'string' && verdictOfPhase(phase) === verdict
    ? fieldsOf(status, 'phase', 'message')
    : { phase: phaseFor(verdict) };
}

/**
 * The generation of the referenced workload that Argo CD expects in the status: what the annotation of the WDS's object
 * states. Without the annotation, it expects none. Numbers of WECs count the generations of their own workloads.
 */
function expectedWorkload({ metadata }: WorkloadObject): JsonObject {
  const wanted = generationOf(at(metadata, 'annotations', WORKLOAD_GENERATION));
  return wanted === undefined ? {} : { workloadObservedGeneration: String(wanted) };
}

/**
 * The rule for argoproj.io Rollouts, over all qualified WECs.
 *
 * - `replicas`, `updatedReplicas`, `readyReplicas`, `availableReplicas` and `conditions` are exactly the proposal. Argo CD does
 *   not read them beside a phase.
 * - `phase`, `message`: from one WEC, the worst in Argo CD's order, then the first by name. They are not left out if WECs
 *   differ, because Argo CD judges a Rollout without a phase as one of an old release (RO1). A WEC that has returned
 *   nothing, or lags, counts as Progressing (RO2).
 * - `observedGeneration` is a text. `0` is written, because Argo CD takes a missing one for the current one (RO3).
 * - `workloadObservedGeneration`: what Argo CD expects of the WDS's object. A number of a WEC would keep it waiting (RO4).
 *
 * Other fields (`currentPodHash`, `stableRS`, `canary`, `blueGreen`, `pauseConditions`, `abort`, `HPAReplicas`) have a meaning
 * in one cluster only and are not aggregated.
 *
 * One thing a status cannot express: a WEC that has not observed the last change of its referenced workload. Only the
 * annotation of its own object shows that, and it is not known.
 */
export const rolloutRule = kindRule({
  assess: assessRollout,
  readsGeneration: true,
  generationIsText: true,
  components: {
    replicas: minimum('replicas'),
    updated: minimum('updatedReplicas'),
    ready: minimum('readyReplicas'),
    available: minimum('availableReplicas'),
    conditions: conditions(),
    worst: witness(({ verdict }) => [badness(verdict)], saying),
  },
  documentation: 'rules.md#rollout',
  fields: {
    replicas: lowest('replicas'),
    updatedReplicas: lowest('updated'),
    readyReplicas: lowest('ready'),
    availableReplicas: lowest('available'),
    phase: oneWec('worst'),
    message: oneWec('worst'),
    workloadObservedGeneration: { letter: { rule: 'as-the-worst', from: ['worst'] } },
    conditions: condition('conditions'),
  },
  literal: ({ replicas, updated, ready, available, conditions: list, worst }, { workload }) => ({
    replicas,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: available,
    ...worst,
    ...expectedWorkload(workload),
    conditions: list,
  }),
  // Only the generation departs (D10).
  departure: () => ({}),
});
