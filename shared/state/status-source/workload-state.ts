import type { Destinations } from '#shared/core/binding/destinations.ts';
import { silentAfterOf } from '#shared/core/binding/silent-after.ts';
import type { ReportedObject, SilentFor } from '#shared/core/desired/desired-state.ts';
import { secondsText } from '#shared/core/expression/time.ts';
import { uidOf } from '#shared/core/metadata.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { isSilent } from '#shared/core/silence.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { createBoundWorkload } from '#shared/core/status-api/create-wec-status.ts';
import { objectKey, type WorkloadRef } from '#shared/core/workload.ts';
import type { AppliedState, WorkloadState } from '#shared/ports/status-source.ts';
import { type Applied, type Head, isPartial, readHeadAndApplied } from '#shared/state/head.ts';
import { HEARD_PARTITION, readHeard } from '#shared/state/heard.ts';
import type { DestinationStore } from '#shared/state/membership.ts';
import { OWN_OBJECT } from '#shared/state/owned-hashes.ts';
import { retryRead } from '#shared/state/retry-contention.ts';
import type { StoredRow } from '#shared/state/rows.ts';
import { readSetAsideOf } from '#shared/state/set-aside.ts';
import { readSilentWecs } from '#shared/state/silence.ts';
import type { BoundObject } from './bound-object.ts';
import type { ReportDeps } from './reports.ts';
import { readSentRows, type SentRows } from './sent-rows.ts';

/** What the state of a workload object is read from. */
export interface WorkloadStateDeps extends ReportDeps {
  readonly destinations: DestinationStore;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * The sources that have ever sent a heartbeat. Undefined if no sweep has looked yet. The list is read again if a sweep has just stored
 * another one.
 */
function readHeardSources({
  store,
  destinations,
}: WorkloadStateDeps): Promise<Destinations | undefined> {
  return retryRead('the list of heartbeats', async () => {
    const { list } = await readHeard(store);
    if (list === undefined) return { found: undefined };
    const found = await destinations.get(HEARD_PARTITION, list);
    return found && { found };
  });
}

/**
 * The WECs that count as WECs that have reported nothing, by the time of the object (docs/rules.md, K1). As in the aggregation, a
 * row that was recorded within that time counts.
 */
export async function readUnheard(
  deps: WorkloadStateDeps,
  silentAfterMs: number,
  rows: ReadonlyMap<string, StoredRow>,
): Promise<(wec: string) => boolean> {
  const heard = await readHeardSources(deps);
  const silent = await readSilentWecs(deps.store, silentAfterMs);
  const nowMs = deps.clock();
  return (wec) => {
    const hasSpoken = heard === undefined || heard.set.has(sourceText({ type: 'wec', name: wec }));
    if (hasSpoken && !silent.has(wec)) return false;
    return isSilent(rows.get(wec)?.heardMs ?? Number.NEGATIVE_INFINITY, nowMs, silentAfterMs);
  };
}

async function readSilentFor(
  deps: WorkloadStateDeps,
  { object, memberships }: BoundObject,
  rows: ReadonlyMap<string, StoredRow>,
): Promise<SilentFor> {
  const silentAfterMs = object && silentAfterOf(object, memberships);
  if (silentAfterMs === undefined) return () => new Set();
  const isUnheard = await readUnheard(deps, silentAfterMs, rows);
  const wecs = memberships.flatMap(({ destinations }) => destinations.names);
  const unheard = new Set(wecs.filter(isUnheard));
  return (ms) => (ms === silentAfterMs ? unheard : new Set());
}

/** The sentences of {@link problemOf}. */
export const NOT_APPLIED = {
  setAside: 'it is set aside, because its aggregation has ended the process',
  /** `awaited` are sources, and StatusCollectors whose check is missing. */
  awaits: (awaited: string): string =>
    `the result waits until everything is reported and checked: ${awaited}`,
  unaggregated: 'it has not been aggregated yet',
  unwritten: 'the result has not been written yet',
  rejected: 'the API server of the WDS rejects some of it',
} as const;

/** Why the WDS does not show the result. */
function problemOf(head: Head, applied: Applied, isAside: boolean): string | undefined {
  if (isAside) return NOT_APPLIED.setAside;
  if (isPartial(head, applied)) return NOT_APPLIED.awaits(String(head.awaits?.join(', ')));
  if (head.hash === undefined) return NOT_APPLIED.unaggregated;
  if (applied.hash !== head.hash) return NOT_APPLIED.unwritten;
  // What was rejected of a CombinedStatus is not missing in the object.
  const isRejected = applied.owned[OWN_OBJECT]?.refused !== undefined;
  return isRejected ? NOT_APPLIED.rejected : undefined;
}

function appliedState(head: Head, applied: Applied, isAside: boolean): AppliedState {
  const problem = problemOf(head, applied, isAside);
  if (problem !== undefined) return { upToDate: false, problem };
  const { writtenMs } = applied;
  return { upToDate: true, ...(writtenMs === undefined ? {} : { since: secondsText(writtenMs) }) };
}

function perWecRow({ wec, row, oversizedBytes }: StoredRow): PerWecRow {
  return {
    wec,
    ...(row === undefined ? {} : { row }),
    ...(oversizedBytes === undefined ? {} : { oversizedBytes }),
  };
}

async function reportedOf(
  deps: WorkloadStateDeps,
  { workload, object }: BoundObject,
  { rows: stored, missing }: SentRows,
): Promise<{ readonly reported?: ReportedObject }> {
  if (object === undefined) return {};
  const ref: WorkloadRef = { ...workload, wds: deps.wds };
  const specs = await deps.specs.get(stored.flatMap(({ row }) => row?.specHash ?? []));
  const rows = new Map(stored.map((one) => [one.wec, perWecRow(one)]));
  return { reported: { ref, uid: uidOf(object), object, rows, missing, specs } };
}

/**
 * Reads all that determines the result of an object that a Binding names. Every row of the object is read.
 *
 * @throws ReportsTooLargeError if that would take too much memory
 */
export async function readWorkloadState(
  deps: WorkloadStateDeps,
  bound: BoundObject,
): Promise<WorkloadState> {
  const { pk, workload, memberships } = bound;
  const { head, applied } = await readHeadAndApplied(deps.store, pk);
  const aside = await readSetAsideOf(deps.store, pk);
  const sent = await readSentRows(deps.store, bound);
  const byWec = new Map(sent.rows.map((row) => [row.wec, row]));
  return {
    ...createBoundWorkload(bound),
    ...(await reportedOf(deps, bound, sent)),
    membership: { memberships: new Map([[objectKey(workload), memberships]]) },
    silent: new Set((await readSilentWecs(deps.store)).keys()),
    silentFor: await readSilentFor(deps, bound, byWec),
    applied: appliedState(head, applied, aside !== undefined),
    refused: applied.reported,
  };
}
