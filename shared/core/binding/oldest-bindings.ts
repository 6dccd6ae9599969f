import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import type { Modulation } from './downsync-modulation.ts';
import { bindingTooNew } from './messages.ts';

/** A Binding that names a workload object, with what decides whether the Binding counts for the object. */
export interface NamingBinding {
  readonly binding: string;
  readonly bindingUid: string;
  /**
   * When the API server created the Binding, as `createdOf` returns it. If absent, the Binding comes before all others.
   */
  readonly created?: string;
  readonly modulation: Modulation;
}

/** The Bindings that name an object, split into those that count and those that do not. */
export interface OldestBindings<Naming> {
  /** The Bindings that count, in the given order. */
  readonly counted: readonly Naming[];
  /** Names of the Bindings that request something and do not count. */
  readonly refused: readonly string[];
}

/**
 * Whether a Binding requests any returned status. A Binding that requests nothing loses nothing if it does not count.
 */
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
 * Decides which of the Bindings that name a workload object count for it: the oldest of those that request something,
 * then the oldest of the others, up to a limit (docs/security.md, "Bounds"). The order depends only on values that the
 * API server sets (creationTimestamp, then uid). No user can move a Binding ahead of another, and each recompute gives
 * the same order. A Binding that does not count is treated as if it did not name the object: it adds neither
 * destinations nor collectors.
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
 * The entry in `status.errors` of a Binding for an object for which the Binding does not count. The text names no other
 * Binding and no number that changes, so it stays the same when other Bindings are added or removed.
 */
export function refusedText(ref: WorkloadRef, limit = MAX_OBJECT_BINDINGS): string {
  return bindingTooNew(workloadTitle(ref), limit);
}
