import { type GivenObject, uidOf } from '#local/cli/input/given-objects.ts';
import type { WdsInput } from '#local/cli/input/wds-input.ts';
import { bindingObject } from '#shared/core/binding/binding-object.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { resolveOnce } from '#shared/core/binding/binding-resolver.ts';
import { type DownsyncObject, downsyncObject } from '#shared/core/binding/downsync-object.ts';
import type { ResolvedBinding } from '#shared/core/binding/resolved-binding.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { type Labels, labelsOf } from '#shared/core/labels.ts';

function objectOf(input: WdsInput, { group, kind, object }: GivenObject): DownsyncObject {
  const apiVersion = String(object['apiVersion']);
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const resource = { group, version, resource: input.resourceOf(group, kind) };
  // A single resolution knows no earlier content.
  return downsyncObject(resource, object, '');
}

/** The WECs with their labels. If no ManagedCluster is given, the WECs with known names, without labels. */
function clustersOf(
  input: WdsInput,
  wecs: Iterable<string>,
): readonly (readonly [name: string, labels: Labels])[] {
  if (input.clusters.length > 0)
    return input.clusters.map(({ name, object }) => [name, labelsOf(object)]);
  return [...new Set(wecs)].map((name) => [name, {}]);
}

function bindingOf(policy: GivenObject, resolved: ResolvedBinding): GivenObject {
  const { name } = policy;
  const object = bindingObject({ name, uid: uidOf(policy) }, resolved);
  return { ...policy, kind: 'Binding', object };
}

/**
 * The input, with the Bindings that the policies yield. A policy that is being deleted yields none. If a Binding itself
 * is given, it is used as it is.
 *
 * @param wecs names of the WECs that are known by other means than ManagedClusters
 */
export function withResolvedPolicies(input: WdsInput, wecs: Iterable<string>): WdsInput {
  const given = new Set(input.bindings.map(({ name }) => name));
  const policies = input.policies.filter(
    ({ name, object }) => !given.has(name) && !isDeleting(object),
  );
  const resolved = resolveOnce(
    policies.map(({ object }) => parseBindingPolicy(object)),
    input.workloads.map((workload) => objectOf(input, workload)),
    clustersOf(input, wecs),
  );
  const bindings = policies.flatMap((policy) => {
    const binding = resolved.get(policy.name);
    return binding === undefined ? [] : [bindingOf(policy, binding)];
  });
  return { ...input, bindings: [...input.bindings, ...bindings] };
}
