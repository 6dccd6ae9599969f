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
 * The time after which the WECs of a Binding count as silent, if a note of it is needed. A WEC that is silent for five minutes
 * causes a notification of all Bindings without a note.
 */
function ownTime({ silentAfterMs }: BindingState): number | undefined {
  const silenceMs = bindingSilenceMs(silentAfterMs);
  return silenceMs === SILENCE_LIMIT_MS ? undefined : silenceMs;
}

/** The known state of the WECs of a Binding, and the time under which the Binding is noted. */
interface Reporting {
  readonly reporting?: WecsReporting;
  readonly silentAfterMs?: number;
}

/**
 * Reads which WECs of a Binding report. If the Binding has a time of its own, a note of it is stored before the silent WECs are
 * read, as for a workload object. Until a sweep has run for the first time, nothing is known.
 *
 * @param aggregation the head that was read first, and the Binding that was read after it
 * @returns `again` if a sweep has just stored another list of the sources that have ever sent a heartbeat
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
