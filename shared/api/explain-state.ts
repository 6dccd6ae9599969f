import { explainAbsent } from '#shared/core/status-api/absent-explanation.ts';
import { explainWorkload } from '#shared/core/status-api/explanation.ts';
import type { ExplainedBound } from '#shared/core/status-api/selectable-explanation.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
import type { WorkloadMembership } from '#shared/core/workload-inputs.ts';
import type { WorkloadState } from '#shared/ports/status-source.ts';

/** The Bindings that count for an object. */
function membershipsOf({ membership }: WorkloadState): readonly WorkloadMembership[] {
  return [...membership.memberships.values()].flat();
}

/** The sorted names of the WECs to which Bindings send an object. */
export function wecsOf(state: WorkloadState): readonly string[] {
  const names = membershipsOf(state).flatMap(({ destinations }) => destinations.names);
  return [...new Set(names)].sort();
}

/**
 * Explains what the status of a workload object would be if WECs were gone: the same fold as of files. Nothing of that is applied or
 * refused.
 */
export function explainWithout(state: WorkloadState, without: readonly string[]): ExplainedBound {
  const { workload, kind, created, ownLabels, reported, membership, silent, silentFor } = state;
  const bound = { workload, kind, ownLabels, ...(created === undefined ? {} : { created }) };
  const explanation =
    reported === undefined
      ? explainAbsent({ workload, kind, memberships: membershipsOf(state), silent, without })
      : explainWorkload({ workload: reported, membership, silent, silentFor, without });
  return { bound, explanation };
}

/** Explains the status of a workload object, and whether the WDS has it. */
export function explainState(state: WorkloadState): ExplainedBound {
  const { applied, refused } = state;
  const { bound, explanation } = explainWithout(state, []);
  return { bound, explanation: { ...explanation, applied, refused } };
}

/** What is shown of an object that no Binding names any more. */
export function explainUnbound(workload: WorkloadName): ExplainedBound {
  const nothing = { kind: '', memberships: [], silent: new Set<string>() };
  return {
    bound: { workload, kind: '', ownLabels: {} },
    explanation: explainAbsent({ workload, ...nothing }),
  };
}
