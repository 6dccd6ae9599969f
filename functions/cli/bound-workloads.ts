import { ownerPolicyUid, type ParsedBinding, parseBinding } from '#shared/core/binding/binding.ts';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { member } from '#shared/core/json.ts';
import { objectKey } from '#shared/core/workload.ts';
import type { WorkloadMembership } from '#shared/core/workload-inputs.ts';
import { type GivenObject, uidIn, uidOf } from './given-objects.ts';
import type { WdsInput } from './wds-input.ts';

/** A Binding with what it says. */
export interface ReadBinding {
  readonly given: GivenObject;
  readonly spec: ParsedBinding;
}

/** Who sends what where. */
export interface Membership {
  readonly bindings: readonly ReadBinding[];
  /** By key of the workload object; sorted by Binding. */
  readonly memberships: ReadonlyMap<string, readonly WorkloadMembership[]>;
  /** The valid collectors, by name. */
  readonly collectors: ReadonlyMap<string, CompiledCollector>;
}

function compiled(collectors: readonly GivenObject[]): ReadonlyMap<string, CompiledCollector> {
  const valid = new Map<string, CompiledCollector>();
  for (const { name, object } of collectors) {
    const compilation = compileStatusCollector(member(object, 'spec') ?? {});
    if (compilation.ok) valid.set(name, compilation.collector);
  }
  return valid;
}

function membershipsOf(
  { given, spec }: ReadBinding,
  policyUid: string | undefined,
): readonly (readonly [key: string, WorkloadMembership])[] {
  const shared = {
    binding: given.name,
    bindingUid: uidOf(given),
    ...(policyUid === undefined ? {} : { policyUid }),
    destinations: createDestinations(given.name, spec.destinations),
  };
  return spec.objects.map((object) => {
    const { version, modulation } = object;
    return [objectKey(object), { ...shared, version, modulation }];
  });
}

/** Reads the Bindings and StatusCollectors. What is wrong with them is a result, not an error. */
export function readMembership(input: WdsInput): Membership {
  const policies = new Map(input.policies.map((policy) => [policy.name, policy]));
  const bindings = input.bindings
    .map((given) => ({ given, spec: parseBinding(given.object) }))
    .sort((a, b) => (a.given.name < b.given.name ? -1 : 1));
  const memberships = new Map<string, WorkloadMembership[]>();
  for (const binding of bindings) {
    const { name, object } = binding.given;
    const policyUid = uidIn(policies.get(name)) ?? ownerPolicyUid(object);
    for (const [key, membership] of membershipsOf(binding, policyUid))
      memberships.set(key, [...(memberships.get(key) ?? []), membership]);
  }
  return { bindings, memberships, collectors: compiled(input.collectors) };
}
