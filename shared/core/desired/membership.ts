import { ownerPolicyUid, type ParsedBinding, parseBinding } from '#shared/core/binding/binding.ts';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import { oldestBindings } from '#shared/core/binding/oldest-bindings.ts';
import { readSilentAfter } from '#shared/core/binding/silent-after.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { createdOf } from '#shared/core/metadata.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';

/** A Binding, BindingPolicy or StatusCollector as it is in the WDS. */
export interface ControlObject {
  readonly name: string;
  /** `metadata.uid`, or a replacement for it. `''` if there is none. */
  readonly uid: string;
  readonly object: JsonObject;
}

/** The objects of a WDS that are not workload objects. */
export interface ControlObjects<Binding extends ControlObject = ControlObject> {
  readonly bindings: readonly Binding[];
  readonly policies: readonly ControlObject[];
  readonly collectors: readonly Omit<ControlObject, 'uid'>[];
}

type CompileText = Parameters<typeof compileStatusCollector>[1];

/** Which Bindings send which workload objects to which WECs. */
export interface WdsMemberships<Binding extends ControlObject = ControlObject> {
  /**
   * Sorted by name. Each has its content, and the time after which it treats a silent WEC as one that has reported
   * nothing.
   */
  readonly bindings: readonly {
    readonly given: Binding;
    readonly spec: ParsedBinding;
    readonly silentAfterMs?: number;
  }[];
  /** By key of the workload object: the Bindings that count for it, sorted by name. */
  readonly memberships: ReadonlyMap<string, readonly WorkloadMembership[]>;
  /** By key of the workload object: names of the Bindings that request something and do not count. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
  /** The valid collectors, by name. */
  readonly collectors: ReadonlyMap<string, CompiledCollector>;
}

interface Timed {
  readonly silentAfterMs?: number;
}

function timed(silentAfterMs: number | undefined): Timed {
  return silentAfterMs === undefined ? {} : { silentAfterMs };
}

/** The content of a Binding that is the same for each of its workload objects. */
function bindingOf(
  { name, uid, object }: ControlObject,
  { destinations }: ParsedBinding,
  { policyUid, silentAfterMs }: { readonly policyUid: string | undefined } & Timed,
): Omit<WorkloadMembership, 'version' | 'modulation'> {
  const created = createdOf(object);
  return {
    binding: name,
    bindingUid: uid,
    ...(created === '' ? {} : { created }),
    ...(policyUid === undefined ? {} : { policyUid }),
    ...timed(silentAfterMs),
    destinations: createDestinations(name, destinations),
  };
}

function compiled(
  collectors: ControlObjects['collectors'],
  compileText: CompileText,
): WdsMemberships['collectors'] {
  const valid = new Map<string, CompiledCollector>();
  for (const { name, object } of collectors) {
    const compilation = compileStatusCollector(member(object, 'spec') ?? {}, compileText);
    if (compilation.ok) valid.set(name, compilation.collector);
  }
  return valid;
}

/**
 * Reads the Bindings and StatusCollectors. Their errors are part of the result and are not thrown.
 *
 * @param compileText compiles one expression; `createCompiler` makes a function that keeps its compilations
 */
export function readMembership<Binding extends ControlObject>(
  { bindings, policies, collectors }: ControlObjects<Binding>,
  compileText?: CompileText,
): WdsMemberships<Binding> {
  const policyUids = new Map(policies.map(({ name, uid }) => [name, uid]));
  const ofPolicies = new Map(
    policies.map(({ name, object }) => [name, readSilentAfter(object).silentAfterMs]),
  );
  const read = bindings
    .map((given) => {
      const spec = parseBinding(given.object);
      return { given, spec, ...timed(spec.silentAfterMs ?? ofPolicies.get(given.name)) };
    })
    .sort((a, b) => (a.given.name < b.given.name ? -1 : 1));
  const naming = new Map<string, WorkloadMembership[]>();
  for (const { given, spec, ...own } of read) {
    const policyUid = policyUids.get(given.name) || ownerPolicyUid(given.object);
    const shared = bindingOf(given, spec, { policyUid, ...own });
    for (const bound of spec.objects) {
      const { version, modulation } = bound;
      const all = naming.get(objectKey(bound)) ?? [];
      naming.set(objectKey(bound), all);
      all.push({ ...shared, version, modulation });
    }
  }
  const oldest = [...naming].map(([key, all]) => [key, oldestBindings(all)] as const);
  return {
    bindings: read,
    memberships: new Map(oldest.map(([key, { counted }]) => [key, counted])),
    refused: new Map(oldest.map(([key, { refused }]) => [key, refused])),
    collectors: compiled(collectors, compileText),
  };
}

/** The Bindings that count for a workload object, sorted by name. */
export function membershipsFor(
  { memberships }: Pick<WdsMemberships, 'memberships'>,
  ref: Omit<WorkloadRef, 'wds'>,
): readonly WorkloadMembership[] {
  return memberships.get(objectKey(ref)) ?? [];
}

/** The sorted names of the WECs to which Bindings send a workload object. */
export function destinationsOf(
  membership: Pick<WdsMemberships, 'memberships'>,
  ref: Omit<WorkloadRef, 'wds'>,
): readonly string[] {
  const names = membershipsFor(membership, ref).flatMap(({ destinations }) => destinations.names);
  return [...new Set(names)].sort();
}
