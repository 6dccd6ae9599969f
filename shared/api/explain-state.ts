import { setImmediate as turn } from 'node:timers/promises';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import { explainAbsent } from '#shared/core/explanation/absent-explanation.ts';
import { explainWorkloadInSlices } from '#shared/core/explanation/explanation.ts';
import type { ExplainedBound } from '#shared/core/explanation/selectable-explanation.ts';
import type { Slices } from '#shared/core/slices.ts';
import type { WorkloadName } from '#shared/core/status-api/status-name.ts';
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

/** Does slices, and lets everything else in the process go on after each. */
async function inTurns<T>(slices: Slices<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await turn();
    signal.throwIfAborted();
  }
}

/**
 * Explains what the status of a workload object would be if WECs were gone: the same fold as of files. Nothing of that is applied or
 * refused.
 *
 * @param signal aborts when nobody waits for it any more
 */
export async function explainWithout(
  state: WorkloadState,
  without: readonly string[],
  signal: AbortSignal,
): Promise<ExplainedBound> {
  const { workload, kind, created, ownLabels, reported, membership, silent, silentFor } = state;
  const bound = { workload, kind, ownLabels, ...(created === undefined ? {} : { created }) };
  if (reported === undefined) {
    const absent = { workload, kind, memberships: membershipsOf(state), silent, without };
    return { bound, explanation: explainAbsent(absent) };
  }
  const inputs = { workload: reported, membership, silent, silentFor, without };
  return { bound, explanation: await inTurns(explainWorkloadInSlices(inputs), signal) };
}

/**
 * Explains the status of a workload object, and whether the WDS has it.
 *
 * @param signal aborts when nobody waits for it any more
 */
export async function explainState(
  state: WorkloadState,
  signal: AbortSignal,
): Promise<ExplainedBound> {
  const { applied, refused } = state;
  const { bound, explanation } = await explainWithout(state, [], signal);
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
