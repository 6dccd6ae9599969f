import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import {
  decideStatus,
  type StatusAction,
  type StatusDecision,
} from '#shared/core/status/decision.ts';
import {
  BEING_DELETED,
  decisionReason,
  onlyOneWec,
  WRITTEN_BY_WDS,
} from '#shared/core/status-api/messages.ts';

/** What may happen to the `.status` of a workload object. */
export const DECISION_ACTIONS = ['Aggregate', 'Copy', 'Clear', 'Leave'] as const;

/** What happens to the `.status` of a workload object, and why. */
export interface DecisionExplanation {
  readonly action: (typeof DECISION_ACTIONS)[number];
  /** A sentence without a full stop. */
  readonly reason: string;
  /** The Bindings that count for the object, by name. */
  readonly bindings: readonly {
    readonly name: string;
    readonly singleton: boolean;
    readonly multiWEC: boolean;
    /** The number of WECs to which the Binding sends the object. */
    readonly destinations: number;
  }[];
}

const ACTIONS: Readonly<Record<StatusAction, DecisionExplanation['action']>> = {
  aggregate: 'Aggregate',
  copy: 'Copy',
  clear: 'Clear',
  leave: 'Leave',
};

/** What makes the action: what Bindings ask for, and how many WECs qualify. */
function consequence(
  memberships: readonly WorkloadMembership[],
  { action, multiRequested, qualified }: StatusDecision,
): string {
  const asking = memberships.map(({ modulation }) => modulation);
  const singleton = asking.filter((one) => one.wantSingletonReportedState).length;
  const multiWEC = asking.filter((one) => one.wantMultiWECReportedState).length;
  const { length } = qualified;
  const reason = decisionReason({ singleton, multiWEC }, length);
  return action === 'clear' && !multiRequested && length > 0 ? onlyOneWec(reason) : reason;
}

function reasonOf(
  workload: WorkloadObject,
  memberships: readonly WorkloadMembership[],
  decision: StatusDecision,
): string {
  if (isDeleting(workload)) return BEING_DELETED;
  if (decision.action === 'leave') return WRITTEN_BY_WDS;
  return consequence(memberships, decision);
}

/** The decision about the `.status` of a workload object, and why it is made. */
export function explainDecision(
  workload: WorkloadObject,
  memberships: readonly WorkloadMembership[],
): { readonly decision: StatusDecision; readonly explanation: DecisionExplanation } {
  const decision = decideStatus(
    workload,
    memberships.map(({ modulation, destinations }) => ({
      ...modulation,
      destinations: destinations.names,
    })),
  );
  const explanation: DecisionExplanation = {
    action: ACTIONS[decision.action],
    reason: reasonOf(workload, memberships, decision),
    bindings: memberships.map(({ binding, modulation, destinations }) => ({
      name: binding,
      singleton: modulation.wantSingletonReportedState,
      multiWEC: modulation.wantMultiWECReportedState,
      destinations: destinations.names.length,
    })),
  };
  return { decision, explanation };
}
