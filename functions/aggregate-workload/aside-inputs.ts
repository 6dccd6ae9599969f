import { contentHash } from '#shared/content-hash.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { SORT } from '#shared/state/keys.ts';
import { type Membership, readOldestMemberships } from '#shared/state/membership.ts';
import { readObserved } from '#shared/state/observed.ts';
import type { AggregateDeps } from './deps.ts';

/**
 * What a Binding requests for an object. Without what is known of the WECs, which changes all the time, and without the revision of
 * the destinations, which does not say that they have changed.
 */
function inputOf(membership: Membership): readonly unknown[] {
  const { binding, bindingUid, policyUid = '', version, modulation, destinations } = membership;
  const { statusCollectors, wantSingletonReportedState, wantMultiWECReportedState } = modulation;
  return [
    ...[binding, bindingUid, policyUid, version, destinations.hash],
    ...[wantSingletonReportedState, wantMultiWECReportedState, membership.silentAfterMs ?? 0],
    ...[statusCollectors, membership.collectorVersions],
  ];
}

/** The inputs of a subject that is set aside, as far as users of the WDS write them. */
export interface AsideInputs {
  /** Names of the Bindings that count for a workload object. Empty for any other subject. */
  readonly bindings: readonly string[];
  /**
   * A hash that changes with these inputs. For a workload object: the Bindings that count, what each requests for the object, and
   * the content of the StatusCollectors that it names. For a Binding: its content and that of its BindingPolicy. For a
   * StatusCollector: its content. Absent for subjects of Fleet.
   */
  readonly present?: string;
}

/** Reads the inputs of a subject that is set aside, in one query or get. Strongly consistent. */
export async function readAsideInputs(
  deps: Pick<AggregateDeps, 'store' | 'maxBindings'>,
  subject: Subject,
): Promise<AsideInputs> {
  if (subject.type === 'fleet') return { bindings: [] };
  const pk = subjectPartition(subject);
  if (subject.type !== 'workload') {
    const keys = [SORT.spec, SORT.policy].map((sk) => ({ pk, sk }));
    const contents = await readObserved(deps.store, keys);
    const hashes = contents.map((observed) => observed?.contentHash ?? '');
    return { bindings: [], present: contentHash(JSON.stringify(hashes)) };
  }
  const { counted } = await readOldestMemberships(deps.store, pk, deps.maxBindings);
  return {
    bindings: counted.map(({ binding }) => binding),
    present: contentHash(JSON.stringify(counted.map(inputOf))),
  };
}
