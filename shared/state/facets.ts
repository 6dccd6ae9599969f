import { contentHash } from '#shared/content-hash.ts';
import { fleetFacet } from '#shared/core/fleet/fleet-content.ts';
import { at, type JsonObject, type JsonValue, member, stringifyJson } from '#shared/core/json.ts';
import { CONTROL_GROUP, OWNED_LABELS } from '#shared/core/kubestellar.ts';

function ownedLabels(object: JsonObject): JsonObject {
  const labels: Record<string, JsonValue> = {};
  for (const key of OWNED_LABELS) {
    const value = at(object, 'metadata', 'labels', key);
    if (value !== undefined) labels[key] = value;
  }
  return labels;
}

function hashOf(value: JsonValue): string {
  return contentHash(stringifyJson(value));
}

/** Whether an object is one of KubeStellar's: what is wanted of its status depends on its own generation. */
function isControl(object: JsonObject): boolean {
  return String(object['apiVersion']).startsWith(`${CONTROL_GROUP}/`);
}

/**
 * A hash of what Starfold owns of an object in the WDS, as the API server holds it. Two states with one facet need no
 * write; a different one is somebody's edit, or a write that is older than what is wanted.
 *
 * Of a workload object: `.status` and the owned labels. Of a CombinedStatus: labels, owner references and results. Of a
 * Binding, BindingPolicy or StatusCollector: `.status`, and whether it speaks of the present generation.
 */
export function facetOf(object: JsonObject): string {
  if (object['kind'] === 'CombinedStatus')
    return hashOf({
      labels: at(object, 'metadata', 'labels') ?? null,
      ownerReferences: at(object, 'metadata', 'ownerReferences') ?? null,
      results: member(object, 'results') ?? null,
    });
  const status = member(object, 'status') ?? null;
  if (!isControl(object)) return hashOf({ labels: ownedLabels(object), status });
  const isCurrent = member(status, 'observedGeneration') === at(object, 'metadata', 'generation');
  return hashOf({ status, isCurrent });
}

/** The facet of a workload object whose `.status` Starfold does not want: the owned labels alone. */
export function labelsFacetOf(object: JsonObject): string {
  return hashOf({ labels: ownedLabels(object) });
}

/** The facet of an object of Fleet: see `fleetFacet`. */
export function fleetFacetOf(object: JsonObject): string {
  return hashOf(fleetFacet(object));
}

/** Stands for the facet of an object that does not exist. */
export const ABSENT = 'absent';

/** The names under which facets are kept: the subject's own object, its policy, or a CombinedStatus. */
export const OWN_FACET = 'object';
/** The BindingPolicy of a Binding. */
export const POLICY_FACET = 'policy';

/** The facet name of a CombinedStatus. */
export function combinedStatusFacet(namespace: string, name: string): string {
  return `combinedstatuses/${namespace}/${name}`;
}
