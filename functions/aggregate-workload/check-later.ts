import type { Subject } from '#shared/core/subject.ts';
import { type ChangeTime, encodeDirty } from '#shared/messages/dirty.ts';
import type { Head } from '#shared/state/head.ts';
import type { AggregateDeps } from './deps.ts';

/**
 * Sends a subject again if some of its StatusCollectors are not checked yet. Each aggregation checks and stores at least one of
 * them, and each of them is also checked when it is aggregated itself. So this ends when the collectors no longer change.
 *
 * @param head the head that the aggregation has put
 */
export async function checkLater(
  deps: AggregateDeps,
  subject: Subject,
  of: { readonly unchecked: readonly string[]; readonly head: Head; readonly change: ChangeTime },
): Promise<void> {
  const { unchecked, head, change } = of;
  if (unchecked.length === 0) return;
  const cause = `check ${head.revision} ${deps.clock()}`;
  await deps.dirty.send([encodeDirty({ type: 'subject', subject, ...change }, cause)]);
}
