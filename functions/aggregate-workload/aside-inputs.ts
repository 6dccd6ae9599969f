import { contentHash } from '#shared/content-hash.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { type Membership, readOldestMemberships } from '#shared/state/membership.ts';
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

/** The Bindings that count for a subject, and their state. */
export interface AsideInputs {
  /** Names of the Bindings. Empty if the subject is not a workload object. */
  readonly bindings: readonly string[];
  /**
   * A hash that changes if other Bindings count, or if what one of them requests for the object or the content of a StatusCollector
   * that it names changes. Absent if the subject is not a workload object.
   */
  readonly present?: string;
}

/** Reads the Bindings that count for a subject that is set aside, in one query. Strongly consistent. */
export async function readAsideInputs(
  deps: Pick<AggregateDeps, 'store' | 'maxBindings'>,
  subject: Subject,
): Promise<AsideInputs> {
  if (subject.type !== 'workload') return { bindings: [] };
  const pk = subjectPartition(subject);
  const { counted } = await readOldestMemberships(deps.store, pk, deps.maxBindings);
  return {
    bindings: counted.map(({ binding }) => binding),
    present: contentHash(JSON.stringify(counted.map(inputOf))),
  };
}
