import { contentHash } from '#shared/content-hash.ts';
import type { Destinations } from '#shared/core/binding/destinations.ts';
import { mentions } from '#shared/core/collector/compiled-collector.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import { silentAfterOf } from '#shared/core/silent-after.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import type { WorkloadInputs, WorkloadMembership } from '#shared/core/workload-inputs.ts';
import type { Head } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { type Membership, readOldestMemberships } from '#shared/state/membership.ts';
import { readObserved } from '#shared/state/observed.ts';
import { readSilentWecs, type Silence } from '#shared/state/silence.ts';
import { putTimedSubject } from '#shared/state/silent-after.ts';
import type { AggregateDeps } from './deps.ts';
import { loadCollectors } from './load-collectors.ts';

/** Everything that a workload's results follow from, besides the rows. */
export interface LoadedInputs {
  readonly object: WorkloadObject | undefined;
  readonly memberships: readonly WorkloadMembership[];
  /** Names of the Bindings that ask for something and do not count. */
  readonly refused: readonly string[];
  /** The valid collectors that the Bindings name; those that no Binding has room for are not compiled. */
  readonly collectors: WorkloadInputs['collectors'];
  /** Names of the WECs that are silent; absent: no result depends on it. */
  readonly silent?: ReadonlySet<string>;
  /** The WECs that count as ones that have said nothing; absent: the object has no `starfold.dev/silent-after`. */
  readonly unheard?: Unheard;
  /** Names these inputs, the silent WECs apart: parts folded with others are outdated. */
  readonly fingerprint: string;
  readonly consumed: Readonly<Record<string, string>>;
}

/** The WECs that have been silent for longer than a workload object allows. */
export interface Unheard {
  readonly silentAfterMs: number;
  /** By name. */
  readonly wecs: ReadonlyMap<string, Silence>;
}

async function loadDestinations(
  deps: AggregateDeps,
  wds: string,
  membership: Membership,
): Promise<Destinations | undefined> {
  const pk = subjectPartition({ type: 'binding', wds, name: membership.binding });
  return deps.destinations.get(pk, membership.destinations);
}

/** The silent WECs are read where a collector asks for them alone. */
async function loadSilent(
  deps: AggregateDeps,
  collectors: LoadedInputs['collectors'],
): Promise<Pick<LoadedInputs, 'silent'>> {
  const asks = [...collectors.values()].some(
    (collector) => collector.kind !== 'uncompiled' && mentions(collector, 'propagation'),
  );
  return asks ? { silent: new Set((await readSilentWecs(deps.store)).keys()) } : {};
}

/**
 * Notes that the object has a time, unless the head says that this was done, and only then reads which WECs have been silent
 * for so long: of one that falls silent later the object is notified.
 */
async function loadUnheard(
  deps: AggregateDeps,
  { pk, head }: { readonly pk: string; readonly head: Head },
  silentAfterMs: number | undefined,
): Promise<Pick<LoadedInputs, 'unheard'>> {
  if (silentAfterMs === undefined) return {};
  const timed = { partition: pk, silentAfterMs };
  if (head.silentAfterMs !== silentAfterMs)
    await putTimedSubject(deps.store, timed, head.revision + 1);
  return { unheard: { silentAfterMs, wecs: await readSilentWecs(deps.store, silentAfterMs) } };
}

/**
 * Reads the inputs of a workload; `undefined` when a Binding's destinations have just been replaced: start again.
 *
 * @param head as it was read before
 * @throws CompilingError
 */
export async function loadInputs(
  deps: AggregateDeps,
  ref: WorkloadRef,
  head: Head,
): Promise<LoadedInputs | undefined> {
  const pk = subjectPartition({ type: 'workload', workload: ref });
  const [[object], { counted: stored, refused }] = await Promise.all([
    readObserved(deps.store, [{ pk, sk: SORT.object }]),
    readOldestMemberships(deps.store, pk, deps.maxBindings),
  ]);
  const { collectors, observed } = await loadCollectors(
    deps,
    { wds: ref.wds, what: workloadTitle(ref) },
    stored,
  );
  const memberships: WorkloadMembership[] = [];
  for (const membership of stored) {
    const destinations = await loadDestinations(deps, ref.wds, membership);
    if (destinations === undefined) return undefined;
    memberships.push({ ...membership, destinations });
  }
  // record-events stores objects that have apiVersion, kind and metadata.
  const content = object?.content as WorkloadObject | undefined;
  const silentAfterMs = content && silentAfterOf(content, stored);
  return {
    object: content,
    memberships,
    refused,
    collectors,
    ...(await loadSilent(deps, collectors)),
    ...(await loadUnheard(deps, { pk, head }, silentAfterMs)),
    fingerprint: contentHash(
      JSON.stringify([
        object?.contentHash ?? '',
        ...stored.map((one) => JSON.stringify(one)),
        ...Array.from(observed.values(), (collector) => collector?.contentHash ?? ''),
        ...(deps.anew === undefined ? [] : [deps.anew]),
      ]),
    ),
    consumed: { [SORT.object]: object?.contentVersion ?? '' },
  };
}
