import { ownerPolicyUid, type ParsedBinding, parseBinding } from '#shared/core/binding/binding.ts';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import { oldestBindings } from '#shared/core/binding/oldest-bindings.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { member } from '#shared/core/json.ts';
import { createdOf } from '#shared/core/metadata.ts';
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
  /** By key of the workload object: the Bindings that count for it, sorted by name. */
  readonly memberships: ReadonlyMap<string, readonly WorkloadMembership[]>;
  /** By key of the workload object: names of the Bindings that ask for something and do not count. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
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
  const created = createdOf(given.object);
  const shared = {
    binding: given.name,
    bindingUid: uidOf(given),
    ...(created === '' ? {} : { created }),
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
  const naming = new Map<string, WorkloadMembership[]>();
  for (const binding of bindings) {
    const { name, object } = binding.given;
    const policyUid = uidIn(policies.get(name)) ?? ownerPolicyUid(object);
    for (const [key, membership] of membershipsOf(binding, policyUid)) {
      const known = naming.get(key);
      if (known === undefined) naming.set(key, [membership]);
      else known.push(membership);
    }
  }
  const oldest = [...naming].map(([key, all]) => [key, oldestBindings(all)] as const);
  return {
    bindings,
    memberships: new Map(oldest.map(([key, { counted }]) => [key, counted])),
    refused: new Map(oldest.map(([key, { refused }]) => [key, refused])),
    collectors: compiled(input.collectors),
  };
}
