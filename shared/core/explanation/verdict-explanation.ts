import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { worst } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { VerdictCount } from '#shared/core/status/decided-status.ts';
import { MAX_DECIDERS } from '#shared/core/status/deciders.ts';

/** Argo CD's verdict on a workload object with its status, and the WECs that decide it. */
export interface VerdictExplanation {
  readonly status: ArgoCdStatus;
  /** `''` if there is no message. */
  readonly message: string;
  /** The first WECs, by name, with the worst verdict on their own objects. */
  readonly decidedBy: readonly string[];
  /** How many of the other WECs have each verdict. `Missing` are those without a status. */
  readonly others: Readonly<Partial<Record<ArgoCdStatus, number>>>;
}

/**
 * Argo CD's verdict on an object with its status, and how the WECs' own objects are judged.
 *
 * @param verdicts the verdicts on the WECs' objects
 * @returns undefined if Argo CD does not judge the kind
 */
export function explainVerdict(
  workload: WorkloadObject,
  status: JsonObject,
  verdicts: readonly VerdictCount[],
): VerdictExplanation | undefined {
  const verdict = assessArgoCd({ ...workload, status });
  if (verdict === null) return undefined;
  const decisive = worst(verdicts.map((one) => one.verdict));
  const named = verdicts.flatMap(({ verdict: own, first }) => (own === decisive ? first : []));
  const decidedBy = named.toSorted().slice(0, MAX_DECIDERS);
  const others: Partial<Record<ArgoCdStatus, number>> = {};
  for (const { shown, count, first } of verdicts) {
    const rest = count - first.filter((wec) => decidedBy.includes(wec)).length;
    if (rest > 0) others[shown] = (others[shown] ?? 0) + rest;
  }
  return { status: verdict.status, message: verdict.message ?? '', decidedBy, others };
}
