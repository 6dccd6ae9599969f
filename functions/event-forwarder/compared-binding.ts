import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { withoutMetadata } from '#shared/core/metadata.ts';

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function withoutResourceVersions(entries: JsonValue | undefined): JsonValue {
  if (!isArray(entries)) return entries ?? null;
  return entries.map((entry) => (isObject(entry) ? { ...entry, resourceVersion: '' } : entry));
}

/**
 * What of a Binding must differ for it to be told again. KubeStellar writes the resourceVersion of every workload object
 * into it, so each write of a status raises the Binding's generation, and the transport then notes the new generation in
 * the Binding's status: no change for anybody who reads it for destinations and objects.
 */
export function comparedBinding(binding: JsonObject): JsonObject {
  const compared = withoutMetadata(binding, 'resourceVersion', 'generation', 'managedFields');
  const spec = asObject(member(binding, 'spec'));
  const workload = asObject(member(spec, 'workload'));
  const scopes = Object.entries(workload).map(([scope, entries]): [string, JsonValue] => [
    scope,
    withoutResourceVersions(entries),
  ]);
  const status = asObject(member(binding, 'status'));
  return {
    ...compared,
    spec: { ...spec, workload: Object.fromEntries(scopes) },
    status: { ...status, observedGeneration: 0 },
  };
}
