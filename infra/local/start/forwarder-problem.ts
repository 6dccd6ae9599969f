import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';

/** How KubeStellar's resources end; a WDS without them is none. */
const KUBESTELLAR = '.control.kubestellar.io/v1alpha1';

/** What is wrong with a forwarder: `undefined` where nothing is. */
export function forwarderProblem(state: ForwarderState): string | undefined {
  if (state.queueError !== undefined) return `cannot queue events: ${state.queueError}`;
  if (state.sourceError !== undefined) return state.sourceError;
  for (const [resource, { phase, error }] of state.resources) {
    if (phase === 'waiting') return error ?? `cannot watch ${resource}`;
    if (phase === 'not-served' && resource.endsWith(KUBESTELLAR))
      return `does not serve ${resource}: kubectl apply -f infra/crds`;
  }
  return state.problems[0];
}
