import { isDeleting } from '#shared/core/deleting.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import {
  decideStatus,
  type StatusAction,
  type StatusDecision,
} from '#shared/core/status/decision.ts';
import type { WorkloadMembership } from '#shared/core/workload-inputs.ts';

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

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function asking(memberships: readonly WorkloadMembership[], what: string): string {
  const { length } = memberships;
  return `${counted(length, 'Binding')} ${length === 1 ? 'asks' : 'ask'} for ${what}`;
}

function requests(memberships: readonly WorkloadMembership[]): string {
  const singleton = memberships.filter(({ modulation }) => modulation.wantSingletonReportedState);
  const multi = memberships.filter(({ modulation }) => modulation.wantMultiWECReportedState);
  const asked = [
    ...(singleton.length > 0 ? [asking(singleton, 'singleton status')] : []),
    ...(multi.length > 0 ? [asking(multi, 'multi-WEC status')] : []),
  ];
  return asked.length > 0 ? asked.join(', ') : 'no Binding asks for status';
}

/** What makes the action, besides what Bindings ask for. */
function consequence({ action, multiRequested, qualified }: StatusDecision): string {
  const { length } = qualified;
  const qualifying = `${counted(length, 'WEC')} ${length === 1 ? 'qualifies' : 'qualify'}`;
  if (action !== 'clear' || multiRequested || length === 0) return qualifying;
  return `${qualifying}, and singleton status needs exactly one`;
}

function reasonOf(
  workload: WorkloadObject,
  memberships: readonly WorkloadMembership[],
  decision: StatusDecision,
): string {
  if (isDeleting(workload)) return 'the object is being deleted in the WDS';
  if (decision.action === 'leave') return 'the WDS itself writes the status of this kind';
  return `${requests(memberships)}; ${consequence(decision)}`;
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
