import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { dirtyGroup, encodeDirty } from '#shared/messages/dirty.ts';
import type { Head } from '#shared/state/head.ts';
import { putWaits } from '#shared/state/waits.ts';
import type { AggregateDeps } from './deps.ts';
import type { UncheckedCollectors } from './load-collectors.ts';

/** The maximum number of StatusCollectors for which a subject waits at a time. Bindings may name thousands. */
const MAX_AWAITED = 100;

type Asking = Extract<Subject, { type: 'workload' | 'binding' }>;

/**
 * Sends a subject again if some of its StatusCollectors are not checked yet. Each aggregation checks and stores at least one of
 * them, and each of them is also checked when it is aggregated itself. So this ends when the collectors no longer change.
 * Collectors that are left to their own aggregation are sent instead, and this subject waits for them. When the first ones have
 * been checked, its next aggregation continues with the others.
 *
 * @param head the head that the aggregation has put
 */
export async function checkLater(
  deps: AggregateDeps,
  subject: Asking,
  of: { readonly unchecked: UncheckedCollectors; readonly head: Head; readonly change: ChangeTime },
): Promise<void> {
  const { unchecked, head, change } = of;
  const { names, left } = unchecked;
  const message = { type: 'subject', subject, ...change } as const;
  const cause = `check ${head.revision} ${deps.clock()}`;
  const again = names.length > left.length ? [encodeDirty(message, cause)] : [];
  const wds = subject.type === 'workload' ? subject.workload.wds : subject.wds;
  const collectors = left
    .slice(0, MAX_AWAITED)
    .map((name) => ({ type: 'collector', wds, name }) as const);
  // Before the messages, so that the aggregations of the messages find it.
  await putWaits(deps.store, collectors.map(subjectPartition), subject);
  const owners = collectors.map((one) =>
    encodeDirty({ type: 'subject', subject: one, ...change }, `${cause} of ${dirtyGroup(message)}`),
  );
  if (again.length + owners.length > 0) await deps.dirty.send([...again, ...owners]);
}
