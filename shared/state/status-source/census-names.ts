import { censusIn, type WorkloadPart } from '#shared/core/desired/workload-fold.ts';
import { type Census, type Finding, isComplete, partsOf } from '#shared/core/status-api/census.ts';
import { createAssessment } from '#shared/core/status-api/create-wec-status.ts';
import type { WecState } from '#shared/core/status-api/wec-status.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type Head, readHead } from '#shared/state/head.ts';
import { readParts, type StoredPart, type StoredParts } from '#shared/state/parts.ts';
import { shardOf } from '#shared/state/shards.ts';
import type { BoundObject } from './bound-object.ts';
import type { Selection } from './selection.ts';

/** What a list reads of the census of an object. */
export interface CensusDeps {
  readonly store: ItemStore;
  /** Names of the silent WECs. */
  silent(): Promise<ReadonlySet<string>>;
}

/** The states that the API may show for a row that is not of a silent WEC. */
function statesOf(finding: Finding): readonly WecState[] {
  const { state } = partsOf(finding);
  return state === 'Absent' ? ['Missing', 'NotReported'] : [state];
}

/** Whether the status of a WEC with a finding may be selected. */
function isNeeded(selection: Selection, finding: Finding, isSilent: boolean): boolean {
  const states = isSilent ? (['Silent'] as const) : statesOf(finding);
  return states.some((state) => selection.mayNeedRow(partsOf(finding).health, state));
}

/** The finding of the WECs that a census leaves out. */
function unremarkable(bound: BoundObject): Finding {
  const hasHealth = createAssessment(bound)({}) !== undefined;
  return hasHealth ? 'Healthy/Reported' : '/Reported';
}

/** The census in the part of a shard, if it names all WECs. Undefined: the rows of the shard say. */
export function censusOfPart(stored: StoredPart | undefined): Census | undefined {
  const part: unknown = stored?.part;
  // The fold of workload objects has stored it.
  const census = Array.isArray(part) ? censusIn(part as WorkloadPart) : undefined;
  return census !== undefined && isComplete(census) ? census : undefined;
}

/** The censuses of the shards of an object. Undefined for a shard without one: all of its rows are read. */
async function shardCensuses(
  store: ItemStore,
  { pk }: BoundObject,
  { shards, layoutRevision }: Head,
): Promise<readonly (Census | undefined)[]> {
  const parts: StoredParts =
    shards === 1 ? new Map() : await readParts(store, { pk, layoutRevision });
  return Array.from({ length: shards }, (_, shard) => censusOfPart(parts.get(shard)));
}

/** A function that returns the finding of a WEC, or undefined if only its row says. */
async function findingsOf(
  store: ItemStore,
  bound: BoundObject,
  { head, census }: { readonly head: Head; readonly census: Census },
): Promise<(wec: string) => Finding | undefined> {
  const isHeads = isComplete(census);
  const censuses = isHeads ? [census] : await shardCensuses(store, bound, head);
  const named = new Map(censuses.flatMap((one) => one?.first ?? []));
  const others = unremarkable(bound);
  return (wec) => {
    const finding = named.get(wec);
    if (finding !== undefined) return finding;
    const own = censuses[isHeads ? 0 : shardOf(wec, head.shards)];
    return own === undefined ? undefined : others;
  };
}

/**
 * Whether a status of an object may be selected by its health or its state, as far as the last aggregation of the object says.
 * Undefined if it does not say: then the row decides.
 *
 * The aggregation follows a row by some milliseconds. A WEC that has just become unhealthy is found once it has been folded.
 */
export async function wantedByCensus(
  { store, silent }: CensusDeps,
  selection: Selection,
  bound: BoundObject,
): Promise<((wec: string) => boolean) | undefined> {
  const head = await readHead(store, bound.pk);
  const { census } = head;
  if (census === undefined) return undefined;
  const silentOnes = await silent();
  const isWanted = (wec: string, finding: Finding): boolean =>
    isNeeded(selection, finding, silentOnes.has(wec));
  const findings = [unremarkable(bound), ...Object.keys(census.counts)];
  // Most objects have nothing that is looked for. Of them, no part is read.
  const isAny = findings.some((one) => [false, true].some((is) => isNeeded(selection, one, is)));
  if (!isAny) return () => false;
  const findingOf = await findingsOf(store, bound, { head, census });
  return (wec) => {
    const finding = findingOf(wec);
    return finding === undefined || isWanted(wec, finding);
  };
}
