import { contentHash } from '#shared/content-hash.ts';
import { fleetOwnedContent } from '#shared/core/fleet/fleet-content.ts';
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

/** Whether an object is one of KubeStellar's: its desired status depends on its own generation. */
function isControl(object: JsonObject): boolean {
  return String(object['apiVersion']).startsWith(`${CONTROL_GROUP}/`);
}

/**
 * A hash of what Starfold owns of an object in the WDS, as the API server has it. If two states have the same hash, no write is
 * needed. A different hash means that another client edited the object, or that the last write is older than the desired
 * result.
 *
 * For a workload object, the hash covers `.status` and the owned labels. For a CombinedStatus: labels, owner references and
 * results. For a Binding, BindingPolicy or StatusCollector: `.status`, and whether it is for the current generation.
 */
export function ownedHash(object: JsonObject): string {
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

/** The hash of a workload object whose `.status` Starfold does not want: only the owned labels. */
export function ownedLabelsHash(object: JsonObject): string {
  return hashOf({ labels: ownedLabels(object) });
}

/** The hash of an object of Fleet: see `fleetOwnedContent`. */
export function fleetOwnedHash(object: JsonObject): string {
  return hashOf(fleetOwnedContent(object));
}

/** The hash of an object that does not exist. */
export const ABSENT = 'absent';

/** The names of the objects that belong to a subject: the subject's own object, its policy, or a CombinedStatus. */
export const OWN_OBJECT = 'object';
/** The BindingPolicy of a Binding. */
export const OWN_POLICY = 'policy';

/** The name of a CombinedStatus. */
export function ownedCombinedStatus(namespace: string, name: string): string {
  return `combinedstatuses/${namespace}/${name}`;
}
