import {
  bindingSilenceMs,
  type WecsReporting,
  wecsReporting,
} from '#shared/core/binding/wecs-reporting.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import type { Head } from '#shared/state/head.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import { putTimedSubject } from '#shared/state/silent-after.ts';
import type { BindingState } from './binding-state.ts';
import type { AggregateDeps } from './deps.ts';
import { hasReported, readHeardSources } from './unheard.ts';

/** Whether a Binding sends to one of these WECs. */
export function sendsToOne({ spec }: BindingState, wecs: readonly string[]): boolean {
  const names = new Set(wecs);
  return spec.destinations.some((name) => names.has(name));
}

/**
 * After how long the WECs of a Binding count as silent, if it has to be noted for that: all Bindings are notified of a WEC
 * that is silent for five minutes.
 */
function ownTime({ silentAfterMs }: BindingState): number | undefined {
  const silenceMs = bindingSilenceMs(silentAfterMs);
  return silenceMs === SILENCE_LIMIT_MS ? undefined : silenceMs;
}

/** What is known of the WECs of a Binding; the time under which the Binding is noted. */
interface Reporting {
  readonly reporting?: WecsReporting;
  readonly silentAfterMs?: number;
}

/**
 * Reads which WECs of a Binding report. The note that it has a time of its own is put before the silent WECs are read, as
 * that of a workload object. Until a sweep has looked for the first time, nothing is known.
 *
 * @param aggregation the head as it was read first, and the Binding as it was read after that
 * @returns `again` when a sweep has just stored another list of those that have ever spoken
 */
export async function readReporting(
  deps: AggregateDeps,
  aggregation: { readonly pk: string; readonly head: Head; readonly state: BindingState },
): Promise<Reporting | 'again'> {
  const { pk, head, state } = aggregation;
  if (state.uid === '') return {};
  const silentAfterMs = ownTime(state);
  const timed = silentAfterMs === undefined ? {} : { silentAfterMs };
  if (silentAfterMs !== undefined && silentAfterMs !== head.silentAfterMs)
    await putTimedSubject(deps.store, { partition: pk, silentAfterMs }, head.revision + 1);
  const heard = await readHeardSources(deps);
  if (heard === 'again') return heard;
  if (heard === undefined) return timed;
  const silent = await readSilentWecs(deps.store, silentAfterMs);
  const reporting = wecsReporting({
    destinations: state.spec.destinations,
    silent: new Map(
      [...silent].map(([name, { lastSeen: since }]) => [
        name,
        since === undefined ? {} : { since },
      ]),
    ),
    hasReported: (name) => hasReported(heard, name),
  });
  return { ...timed, reporting };
}
