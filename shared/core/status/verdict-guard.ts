import { countAt } from '#shared/core/health/count-at.ts';
import { type ArgoCdStatus, isWorse } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import { type Assessment, verdictOf } from './row-facts.ts';

/** An aggregate, and what it must not look better than. */
export interface GuardedStatus {
  readonly workload: WorkloadObject;
  readonly status: JsonObject;
  /** Argo CD's worst verdict on the WECs' own objects. */
  readonly worst: ArgoCdStatus;
  readonly assessment: Assessment;
}

/**
 * The aggregate itself, or, where Argo CD would find it better than the worst WEC, the aggregate with an
 * `observedGeneration` before the WDS's, which Argo CD always calls Progressing (K6). What is left for this guard are
 * numbers that no count can tell: a WEC that scales down and is short of its old size, not of what is wanted.
 */
export function holdBack(guarded: GuardedStatus): JsonObject {
  const { workload, status, worst, assessment } = guarded;
  if (!isWorse(worst, verdictOf(assessment, { ...workload, status }))) return status;
  const { observedGeneration: _shown, ...counts } = status;
  const before = countAt(workload, 'metadata', 'generation') - 1;
  return before > 0 ? { ...counts, observedGeneration: before } : counts;
}
