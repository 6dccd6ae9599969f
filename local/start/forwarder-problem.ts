import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import { FLEET_GROUP, FLEET_VERSION } from '#shared/core/fleet/fleet-object.ts';
import { CONTROL_API_VERSION } from '#shared/core/kubestellar.ts';

/** How KubeStellar's resources end; a WDS without them is none. */
const KUBESTELLAR = `.${CONTROL_API_VERSION}`;

/** How Fleet's resources end. */
const FLEET = `.${FLEET_GROUP}/${FLEET_VERSION}`;

/** What to do where a resource is not served; `undefined`: the cluster may do without. */
function remedy(resource: string): string | undefined {
  if (resource.endsWith(KUBESTELLAR)) return 'kubectl apply -f infra/crds';
  // Older versions of Fleet have no HelmOps.
  if (!resource.endsWith(FLEET) || resource.startsWith('helmops.')) return undefined;
  return 'install Fleet there, or check --fleet';
}

/** What is wrong with a forwarder: `undefined` where nothing is. */
export function forwarderProblem(state: ForwarderState): string | undefined {
  if (state.queueError !== undefined) return `cannot queue events: ${state.queueError}`;
  if (state.sourceError !== undefined) return state.sourceError;
  for (const [resource, { phase, error }] of state.resources) {
    if (phase === 'waiting') return error ?? `cannot watch ${resource}`;
    const missing = phase === 'not-served' ? remedy(resource) : undefined;
    if (missing !== undefined) return `does not serve ${resource}: ${missing}`;
  }
  return state.problems[0];
}
