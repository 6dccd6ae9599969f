import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import { NOT_IN_WDS, NOT_NAMED } from '#shared/core/status-api/messages.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import { explainDecision } from './decision-explanation.ts';
import { type Explanation, explanationNames } from './explanation.ts';
import { explainWecs } from './wecs-explanation.ts';
import { withoutWecs } from './without-wecs.ts';

/** A workload object that the WDS does not have. */
export interface AbsentWorkload {
  readonly workload: WorkloadName;
  /** `''` if it is not known. */
  readonly kind: string;
  /** The Bindings that count for it. Empty if none names it. */
  readonly memberships: readonly WorkloadMembership[];
  /** Names of the WECs that have been silent for longer than their limit. */
  readonly silent: ReadonlySet<string>;
  /** Names of WECs to leave out. */
  readonly without?: readonly string[];
}

/**
 * Explains that there is no status to write, because the WDS has no such object. No WEC's report counts for an object that is not
 * there.
 */
export function explainAbsent({
  workload,
  kind,
  memberships,
  silent,
  without = [],
}: AbsentWorkload): Explanation {
  const nothing = { apiVersion: '', kind, metadata: {} };
  const left = withoutWecs(memberships, without);
  const { decision, explanation } = explainDecision(nothing, left);
  const rows = decision.qualified.map((wec) => ({ wec }));
  const reason = memberships.length === 0 ? NOT_NAMED : NOT_IN_WDS;
  return {
    ...explanationNames(workload, kind),
    ...(without.length === 0 ? {} : { without }),
    decision: { ...explanation, action: 'Leave', reason },
    wecs: explainWecs({ workload: nothing, specsByHash: new Map() }, rows, silent),
    fields: [],
    deciders: [],
  };
}
