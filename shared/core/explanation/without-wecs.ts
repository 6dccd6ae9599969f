import { createDestinations } from '#shared/core/binding/destinations.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';

/** The Bindings as they would be if WECs were gone: they send nothing to these WECs. */
export function withoutWecs(
  memberships: readonly WorkloadMembership[],
  without: readonly string[],
): readonly WorkloadMembership[] {
  if (without.length === 0) return memberships;
  const gone = new Set(without);
  return memberships.map(({ destinations, ...membership }) => {
    const left = destinations.names.filter((name) => !gone.has(name));
    // The names are part of the hash, because another list has another hash.
    const hash = `${destinations.hash} without ${without.join(',')}`;
    return { ...membership, destinations: createDestinations(hash, left) };
  });
}
