import type { BindingSpec } from '#shared/core/binding/binding.ts';
import { type CompiledCollector, isCompiled } from '#shared/core/collector/compiled-collector.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ItemKey } from '#shared/ports/item-store.ts';
import type { ContentCodec } from '#shared/state/body.ts';
import {
  BINDING_CONTENT,
  type BindingContent,
  POLICY_CONTENT,
  type PolicyContent,
} from '#shared/state/contents.ts';
import { RANGE, SORT } from '#shared/state/keys.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import type { AggregateDeps } from './deps.ts';
import { indexBinding } from './index-binding.ts';
import {
  type LoadedCollectors,
  loadCollectors,
  type UncheckedCollectors,
} from './load-collectors.ts';
import { readWecFacts, type WecFacts } from './wec-facts.ts';

/** A Binding as a subject. */
export type BindingSubject = Extract<Subject, { type: 'binding' }>;

/** A Binding as record-events stores it, with the objects that it depends on. */
export interface BindingState {
  readonly uid: string;
  /** The time when the API server created the Binding. `''`: not known. */
  readonly created: string;
  readonly policyUid: string | undefined;
  readonly policy: PolicyContent | undefined;
  readonly spec: BindingSpec;
  /** As in a `WorkloadMembership`. */
  readonly silentAfterMs: number | undefined;
  /** Content versions of the collectors that the Binding names; `''` for one that does not exist. */
  readonly collectorVersions: ReadonlyMap<string, string>;
  /** The valid collectors that the Binding names, up to the limit of one object (`fittingCollectors`). */
  readonly collectors: ReadonlyMap<string, CompiledCollector>;
  readonly wecFacts: WecFacts;
  /** Names of the collectors that do not exist or are invalid, sorted. */
  readonly missingCollectors: readonly string[];
  /** Names of the missing collectors that exist but are invalid, sorted. */
  readonly invalidCollectors: readonly string[];
  /** The collectors that are not checked yet. They do not count as missing. Another aggregation follows. */
  readonly uncheckedCollectors: UncheckedCollectors;
}

const EMPTY_SPEC: BindingSpec = { destinations: [], objects: [], errors: [] };

/** UID of the BindingPolicy: of the stored one, otherwise of the one that owns the Binding. */
function policyUidOf(
  binding: BindingContent | undefined,
  policy: PolicyContent | undefined,
): string | undefined {
  return policy?.uid || binding?.policyUid || undefined;
}

function decoded<T>(
  codec: ContentCodec<T>,
  observed: Observed | undefined,
  key: ItemKey,
): T | undefined {
  const content = observed?.content;
  return content === undefined ? undefined : codec.decode(content, key);
}

/** The collectors that a Binding names. If there is no Binding yet, the collectors that its policy names. */
function collectorsOf(
  spec: BindingSpec | undefined,
  policy: PolicyContent | undefined,
): readonly string[] {
  if (spec === undefined) return policy?.statusCollectors ?? [];
  return [...new Set(spec.objects.flatMap((object) => object.modulation.statusCollectors))].sort();
}

/** The collectors that fit the limit of one object. These stay compiled, so that they can be checked. */
function compiledOf({ collectors }: LoadedCollectors): ReadonlyMap<string, CompiledCollector> {
  const compiled = new Map<string, CompiledCollector>();
  for (const [name, collector] of collectors)
    if (isCompiled(collector)) compiled.set(name, collector);
  return compiled;
}

/** Reads everything that the results and memberships of a Binding depend on. */
export async function readBindingState(
  deps: AggregateDeps,
  subject: BindingSubject,
): Promise<{ readonly state: BindingState; readonly consumed: Record<string, string> }> {
  const pk = subjectPartition(subject);
  const [binding, policy] = await readObserved(deps.store, [
    { pk, sk: SORT.spec },
    { pk, sk: SORT.policy },
  ]);
  const content = decoded(BINDING_CONTENT, binding, { pk, sk: SORT.spec });
  const policyContent = decoded(POLICY_CONTENT, policy, { pk, sk: SORT.policy });
  const names = collectorsOf(content, policyContent);
  const partitions = names.map((name) =>
    subjectPartition({ type: 'collector', wds: subject.wds, name }),
  );
  const entry = `${RANGE.membership}${subject.name}`;
  await indexBinding(
    deps,
    partitions.map((partition) => ({ pk: partition, sk: entry })),
  );
  const loaded = await loadCollectors(deps, subject.wds, [
    { binding: subject.name, modulation: { statusCollectors: names } },
  ]);
  const spec = content ?? EMPTY_SPEC;
  const collectors = compiledOf(loaded);
  return {
    state: {
      uid: content?.uid ?? '',
      created: content?.created ?? '',
      policyUid: policyUidOf(content, policyContent),
      policy: policyContent,
      spec,
      silentAfterMs: content?.silentAfterMs ?? policyContent?.silentAfterMs,
      collectorVersions: new Map(
        names.map((name) => [name, loaded.observed.get(name)?.contentVersion ?? '']),
      ),
      collectors,
      wecFacts: await readWecFacts(deps, spec.destinations, collectors),
      missingCollectors: names.filter((name) => !loaded.collectors.has(name)),
      invalidCollectors: loaded.invalid,
      uncheckedCollectors: loaded.unchecked,
    },
    consumed: {
      [SORT.spec]: binding?.contentVersion ?? '',
      [SORT.policy]: policy?.contentVersion ?? '',
    },
  };
}
