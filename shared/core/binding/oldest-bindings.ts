import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import type { Modulation } from './downsync-modulation.ts';

/** That a Binding names a workload object, as far as it decides whether the Binding counts for the object. */
export interface NamingBinding {
  readonly binding: string;
  readonly bindingUid: string;
  /** When the API server created the Binding, as `createdOf` gives it; absent: before all others. */
  readonly created?: string;
  readonly modulation: Modulation;
}

/** The Bindings that name an object, told apart. */
export interface OldestBindings<Naming> {
  /** Those that count, in the order in which they were given. */
  readonly counted: readonly Naming[];
  /** Names of those that ask for something and do not count. */
  readonly refused: readonly string[];
}

/** Whether a Binding wants anything back. One that does not loses nothing when it does not count. */
function asks({ modulation }: NamingBinding): boolean {
  const { statusCollectors, wantSingletonReportedState, wantMultiWECReportedState } = modulation;
  return statusCollectors.length > 0 || wantSingletonReportedState || wantMultiWECReportedState;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function byAge(a: NamingBinding, b: NamingBinding): number {
  return (
    Number(asks(b)) - Number(asks(a)) ||
    byText(a.created ?? '', b.created ?? '') ||
    byText(a.bindingUid, b.bindingUid) ||
    byText(a.binding, b.binding)
  );
}

/**
 * Which of the Bindings that name a workload object count for it: the oldest of those that ask for something, then the
 * oldest of the others, up to a limit (docs/security.md, "Bounds"). The order follows from what the API server has set
 * (creationTimestamp, then uid), so nobody gets before another by what he writes, and each recompute gives the same.
 * A Binding that does not count is as if it did not name the object: it adds neither destinations nor collectors.
 */
export function oldestBindings<Naming extends NamingBinding>(
  naming: readonly Naming[],
  limit = MAX_OBJECT_BINDINGS,
): OldestBindings<Naming> {
  if (naming.length <= limit) return { counted: naming, refused: [] };
  const left = [...naming].sort(byAge).slice(limit);
  const isLeft = new Set<Naming>(left);
  return {
    counted: naming.filter((one) => !isLeft.has(one)),
    refused: left.filter(asks).map(({ binding }) => binding),
  };
}

/**
 * What the `status.errors` of a Binding says of an object for which the Binding does not count. It names no other Binding and
 * no number that changes, so that the text stays while others come and go.
 */
export function refusedText(ref: WorkloadRef, limit = MAX_OBJECT_BINDINGS): string {
  return `${workloadTitle(ref)}: only the ${limit} oldest Bindings that ask for its status or name StatusCollectors for it count, and this Binding is newer: nothing is returned for it; delete Bindings that no longer need the object, or ask for what this one needs in an older Binding`;
}
