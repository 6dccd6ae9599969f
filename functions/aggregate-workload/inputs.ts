import type { Destinations } from '#shared/core/binding/destinations.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import {
  type CollectorCompilation,
  compileStatusCollector,
} from '#shared/core/collector/status-collector.ts';
import { member } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { WorkloadMembership } from '#shared/core/workload-fold.ts';
import { contentHash, SORT, subjectPartition } from '#shared/state/keys.ts';
import { type Membership, readMemberships } from '#shared/state/membership.ts';
import { type Observed, readObserved } from '#shared/state/observed.ts';
import type { AggregateDeps } from './deps.ts';

/** Everything that a workload's results follow from, besides the rows. */
export interface LoadedInputs {
  readonly object: WorkloadObject | undefined;
  readonly memberships: readonly WorkloadMembership[];
  /** The valid collectors that the Bindings name. */
  readonly collectors: ReadonlyMap<string, CompiledCollector>;
  /** Names these inputs: parts folded with others are outdated. */
  readonly fingerprint: string;
  readonly seen: Readonly<Record<string, string>>;
}

const compiled = new Map<string, CollectorCompilation>();
const MAX_COMPILED = 1000;

function compileOnce(collector: Observed): CollectorCompilation {
  let compilation = compiled.get(collector.contentHash);
  if (compilation === undefined) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compilation = compileStatusCollector(member(collector.content, 'spec') ?? {});
    compiled.set(collector.contentHash, compilation);
  }
  return compilation;
}

async function loadCollectors(
  deps: AggregateDeps,
  wds: string,
  memberships: readonly Membership[],
): Promise<{ collectors: Map<string, CompiledCollector>; hashes: readonly string[] }> {
  const names = [
    ...new Set(memberships.flatMap(({ modulation }) => modulation.statusCollectors)),
  ].sort();
  const observed = await readObserved(
    deps.store,
    names.map((name) => ({
      pk: subjectPartition({ type: 'collector', wds, name }),
      sk: SORT.spec,
    })),
  );
  const collectors = new Map<string, CompiledCollector>();
  for (const [index, name] of names.entries()) {
    const collector = observed[index];
    if (collector?.content === undefined) continue;
    const compilation = compileOnce(collector);
    if (compilation.ok) collectors.set(name, compilation.collector);
  }
  return { collectors, hashes: observed.map((collector) => collector?.contentHash ?? '') };
}

async function loadDestinations(
  deps: AggregateDeps,
  wds: string,
  membership: Membership,
): Promise<Destinations | undefined> {
  const pk = subjectPartition({ type: 'binding', wds, name: membership.binding });
  return deps.destinations.get(pk, membership.destinations);
}

/** Reads the inputs of a workload; `undefined` when a Binding's destinations have just been replaced: start again. */
export async function loadInputs(
  deps: AggregateDeps,
  ref: WorkloadRef,
): Promise<LoadedInputs | undefined> {
  const pk = subjectPartition({ type: 'workload', workload: ref });
  const [[object], stored] = await Promise.all([
    readObserved(deps.store, [{ pk, sk: SORT.object }]),
    readMemberships(deps.store, pk),
  ]);
  const { collectors, hashes } = await loadCollectors(deps, ref.wds, stored);
  const memberships: WorkloadMembership[] = [];
  for (const membership of stored) {
    const destinations = await loadDestinations(deps, ref.wds, membership);
    if (destinations === undefined) return undefined;
    memberships.push({ ...membership, destinations });
  }
  return {
    // record-events stores objects that have apiVersion, kind and metadata.
    object: object?.content as WorkloadObject | undefined,
    memberships,
    collectors,
    fingerprint: contentHash(
      JSON.stringify([
        object?.contentHash ?? '',
        ...stored.map((one) => JSON.stringify(one)),
        ...hashes,
      ]),
    ),
    seen: { [SORT.object]: object?.contentVersion ?? '' },
  };
}
