import type { HeardOf } from '#shared/core/binding/wecs-reporting.ts';
import type { WdsState } from '#shared/core/desired/desired-state.ts';
import { availabilityOf, isSilent, unavailableSince } from '#shared/core/managed-cluster.ts';
import type { WdsInput } from './wds-input.ts';
import { reportingWecs, type WecReports } from './wec-reports.ts';

/** What the files tell about whether the WECs report. */
export interface GivenSilence extends Required<Pick<WdsState, 'silent' | 'silentFor' | 'heard'>> {}

/**
 * Reads which WECs report. A WEC is silent if its ManagedCluster has been unavailable for longer than a limit. A WEC has
 * never reported if no object of it is given, and no ManagedCluster shows whether it is available.
 *
 * @param nowMs milliseconds since the epoch
 */
export function givenSilence(
  { clusters }: Pick<WdsInput, 'clusters'>,
  reports: WecReports,
  nowMs: number,
): GivenSilence {
  const silentBeyond = (silenceMs?: number): HeardOf['silent'] =>
    new Map(
      clusters
        .filter(({ object }) => isSilent(object, nowMs, silenceMs))
        .map(({ name, object }) => [name, unavailableSince(object)]),
    );
  const known = clusters.filter(({ object }) => availabilityOf(object) !== undefined);
  const heard = new Set([...reportingWecs(reports), ...known.map(({ name }) => name)]);
  return {
    silent: new Set(silentBeyond().keys()),
    silentFor: (silenceMs) => new Set(silentBeyond(silenceMs).keys()),
    heard: { silent: silentBeyond, hasReported: (wec) => heard.has(wec) },
  };
}
