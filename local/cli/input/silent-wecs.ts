import {
  availabilityOf,
  isSilent,
  unavailableSince,
} from '#shared/core/binding/managed-cluster.ts';
import type { HeardOf } from '#shared/core/binding/wecs-reporting.ts';
import type { WdsState } from '#shared/core/desired/desired-state.ts';
import type { WdsInput } from './wds-input.ts';
import { reportingWecs, type WecReports } from './wec-reports.ts';

/**
 * Returns the WECs that have been silent for longer than a number of milliseconds, or else for longer than their own
 * limit, and since when.
 */
export type SilentBeyond = (silenceMs?: number) => HeardOf['silent'];

/**
 * Reads which WECs are silent: those whose ManagedCluster is not available.
 *
 * @param nowMs milliseconds since the epoch
 */
export function silentClusters(
  { clusters }: Pick<WdsInput, 'clusters'>,
  nowMs: number,
): SilentBeyond {
  return (silenceMs) =>
    new Map(
      clusters
        .filter(({ object }) => isSilent(object, nowMs, silenceMs))
        .map(({ name, object }) => [name, unavailableSince(object)]),
    );
}

/**
 * What the files show about whether the WECs report. A WEC has never reported if no object of it is given, and no
 * ManagedCluster shows whether it is available.
 */
export function givenSilence(
  { clusters }: Pick<WdsInput, 'clusters'>,
  reports: WecReports,
  silentBeyond: SilentBeyond,
): Required<Pick<WdsState, 'silent' | 'silentFor' | 'heard'>> {
  const withAvailability = clusters.filter(({ object }) => availabilityOf(object) !== undefined);
  const heard = new Set([...reportingWecs(reports), ...withAvailability.map(({ name }) => name)]);
  return {
    silent: new Map([...silentBeyond()].map(([wec, { since }]) => [wec, since])),
    silentFor: (silenceMs) => new Set(silentBeyond(silenceMs).keys()),
    heard: { silent: silentBeyond, hasReported: (wec) => heard.has(wec) },
  };
}
