import type { Destinations } from '#shared/core/binding/destinations.ts';
import { sourceText } from '#shared/core/source-text.ts';
import type { Head } from '#shared/state/head.ts';
import { HEARD_PARTITION, readHeard } from '#shared/state/heard.ts';
import { readSilentWecs, type Silence } from '#shared/state/silence.ts';
import { putTimedSubject } from '#shared/state/silent-after.ts';
import type { AggregateDeps } from './deps.ts';

/** The WECs for which a workload object counts only rows that were recorded within its time. */
export interface Unheard {
  readonly silentAfterMs: number;
  /** The WECs that have been silent for longer, by name. */
  readonly silent: ReadonlyMap<string, Silence>;
  /** The sources that have ever sent a heartbeat. Absent: no sweep has run yet. */
  readonly heard?: Destinations;
}

/**
 * Reads the sources that have ever sent a heartbeat, as found by the last sweep.
 *
 * @returns `undefined` if no sweep has run yet; `again` if a sweep has just stored another list
 */
export async function readHeardSources(
  deps: AggregateDeps,
): Promise<Destinations | undefined | 'again'> {
  const { list } = await readHeard(deps.store);
  if (list === undefined) return undefined;
  return (await deps.destinations.get(HEARD_PARTITION, list)) ?? 'again';
}

/** Whether a WEC is among the sources that have ever sent a heartbeat. */
export function hasReported({ set }: Destinations, wec: string): boolean {
  return set.has(sourceText({ type: 'wec', name: wec }));
}

/**
 * Stores a note that the object has a time, unless the head shows that this was done. Only then reads which WECs have been
 * silent for that time or have never sent a heartbeat. So if a WEC becomes silent later, or sends its first heartbeat, the
 * object is notified.
 *
 * @returns `again` under the same condition as {@link readHeardSources}
 */
export async function readUnheard(
  deps: AggregateDeps,
  { pk, head }: { readonly pk: string; readonly head: Head },
  silentAfterMs: number | undefined,
): Promise<{ readonly unheard?: Unheard } | 'again'> {
  if (silentAfterMs === undefined) return {};
  const timed = { partition: pk, silentAfterMs };
  if (head.silentAfterMs !== silentAfterMs)
    await putTimedSubject(deps.store, timed, head.revision + 1);
  const heard = await readHeardSources(deps);
  if (heard === 'again') return heard;
  const silent = await readSilentWecs(deps.store, silentAfterMs);
  return { unheard: { silentAfterMs, silent, ...(heard && { heard }) } };
}

/** The reason why a WEC counts as unheard, in the form of the fingerprint of a part. `undefined`: it does not. */
export function whyUnheard({ silent, heard }: Unheard, wec: string): string | undefined {
  const entry = silent.get(wec);
  if (entry !== undefined) return `after ${entry.heartbeat}`;
  return heard === undefined || hasReported(heard, wec) ? undefined : 'never heard';
}
