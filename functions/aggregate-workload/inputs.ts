import { contentHash } from '#shared/content-hash.ts';
import type { Destinations } from '#shared/core/binding/destinations.ts';
import { silentAfterOf } from '#shared/core/binding/silent-after.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import { isCompiled, mentions, readsFact } from '#shared/core/collector/compiled-collector.ts';
import type { WorkloadInputs } from '#shared/core/desired/workload-inputs.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { SilentWecs } from '#shared/core/silence.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import type { Head } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { type Membership, readOldestMemberships } from '#shared/state/membership.ts';
import { readObserved } from '#shared/state/observed.ts';
import { silentWecs } from '#shared/state/silence.ts';
import type { ReportedInventory } from '#shared/state/wec-inventories.ts';
import type { AggregateDeps } from './deps.ts';
import { loadCollectors, type UncheckedCollectors } from './load-collectors.ts';
import { readUnheard, type Unheard } from './unheard.ts';

/** What is known of the WECs besides the rows. */
export interface LoadedWecs {
  /** The silent WECs. Absent: no result depends on them. */
  readonly silent?: SilentWecs;
  /** What is known of WECs, by name. Absent: no result depends on it. */
  readonly inventory?: ReadonlyMap<string, ReportedInventory>;
}

/** All inputs of the results of a workload, besides the rows and {@link LoadedWecs}. */
export interface LoadedInputs {
  readonly object: WorkloadObject | undefined;
  /** The verdict on the object with the status that it had in the WDS when this state first heard of it. */
  readonly verdictFound?: string;
  readonly memberships: readonly WorkloadMembership[];
  /** Names of the Bindings that ask for something but do not count. */
  readonly refused: readonly string[];
  /** The collectors that the Bindings name. Collectors over the limit of every Binding are not compiled. */
  readonly collectors: WorkloadInputs['collectors'];
  /** The collectors that are not checked yet. Another aggregation follows (`checkLater`). */
  readonly unchecked: UncheckedCollectors;
  /**
   * The WECs that count as WECs that have reported nothing, unless they have reported since. Absent: there is no
   * `starfold.dev/silent-after`.
   */
  readonly unheard?: Unheard;
  /** The fingerprint of these inputs. Parts that were folded with another fingerprint are outdated. */
  readonly fingerprint: string;
  readonly consumed: Readonly<Record<string, string>>;
}

async function loadDestinations(
  deps: AggregateDeps,
  wds: string,
  membership: Membership,
): Promise<Destinations | undefined> {
  const pk = subjectPartition({ type: 'binding', wds, name: membership.binding });
  return deps.destinations.get(pk, membership.destinations);
}

/** Reads the silent WECs and the inventory, each only if a collector asks for it. */
export async function loadWecs(
  deps: AggregateDeps,
  { collectors }: Pick<LoadedInputs, 'collectors'>,
): Promise<LoadedWecs> {
  const compiled = [...collectors.values()].filter(isCompiled);
  const asksSilence = compiled.some((collector) => mentions(collector, 'propagation'));
  const asksInventory = compiled.some((collector) => readsFact(collector, 'inventory'));
  return {
    ...(asksSilence ? { silent: await silentWecs(deps.store) } : {}),
    ...(asksInventory ? { inventory: await deps.wecInventories.read() } : {}),
  };
}

/** A membership as a part of the fingerprint. The silent WECs and the inventory are in the fingerprint of their shard. */
function membershipText({ wecFacts: _facts, ...membership }: Membership): string {
  return JSON.stringify(membership);
}

/**
 * Reads the inputs of a workload, without {@link LoadedWecs}.
 *
 * @param head as it was read before
 * @returns `undefined` if the destinations of a Binding, or the list of the sources that have ever sent a heartbeat, have just
 *   been replaced. The caller starts again.
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
  const { collectors, observed, unchecked } = await loadCollectors(deps, ref.wds, stored);
  const memberships: WorkloadMembership[] = [];
  for (const membership of stored) {
    const destinations = await loadDestinations(deps, ref.wds, membership);
    if (destinations === undefined) return undefined;
    memberships.push({ ...membership, destinations });
  }
  // record-events stores objects that have apiVersion, kind and metadata.
  const content = object?.content as WorkloadObject | undefined;
  const silentAfterMs = content && silentAfterOf(content, stored);
  const unheard = await readUnheard(deps, { pk, head }, silentAfterMs);
  if (unheard === 'again') return undefined;
  return {
    object: content,
    ...(object?.found === undefined ? {} : { verdictFound: object.found }),
    memberships,
    refused,
    collectors,
    unchecked,
    ...unheard,
    fingerprint: contentHash(
      JSON.stringify([
        object?.contentHash ?? '',
        ...stored.map(membershipText),
        ...Array.from(observed.values(), (collector) => collector?.contentHash ?? ''),
        ...(deps.anew === undefined ? [] : [deps.anew]),
        ...(unchecked.names.length === 0 ? [] : [unchecked.names]),
      ]),
    ),
    consumed: { [SORT.object]: object?.contentVersion ?? '' },
  };
}
