import { compareText, type EntryOrder, mergeFirst } from '#shared/core/collector/first-entries.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { BUNDLE_STATES, type BundleState, NON_READY_STATES, rankOf } from './bundle-state.ts';
import type { DeploymentRow } from './deployment-row.ts';

/** The maximum number of deployments that are not Ready in a list (Fleet, Status Fields, "Ready Condition"). */
export const MAX_LISTED = 10;

/** A deployment that is not Ready, as lists and messages show it. */
export interface NonReadyEntry extends JsonObject {
  /** Its position in the list. No two entries of one list have the same. */
  readonly order: string;
  readonly name: string;
  readonly message: string;
  readonly modified: readonly JsonObject[];
  readonly nonReady: readonly JsonObject[];
}

/**
 * The number of deployments in each state, and the first ones of each state that is not Ready. Messages need them because they
 * must not leave out a state. Lists need them because they show the worst deployments.
 */
export interface SummaryPart extends JsonObject {
  /** By rank. */
  readonly counts: readonly number[];
  /** By rank; the list of Ready is empty. */
  readonly first: readonly (readonly NonReadyEntry[])[];
}

/** The element of a list for a rank. */
function atRank<T>(list: readonly T[], rank: number): T {
  // Every such list has an element for each rank.
  return list[rank] as T;
}

/** The part of no deployments. */
export const EMPTY_SUMMARY: SummaryPart = {
  counts: BUNDLE_STATES.map(() => 0),
  first: BUNDLE_STATES.map(() => []),
};

const ORDER: EntryOrder<NonReadyEntry> = {
  limit: MAX_LISTED,
  compare: (a, b) => compareText(a.order, b.order),
  combine: (a) => a,
};

const SINGLE: readonly SummaryPart[] = BUNDLE_STATES.map((state) => ({
  counts: BUNDLE_STATES.map((other) => (other === state ? 1 : 0)),
  first: EMPTY_SUMMARY.first,
}));

/** The position of a deployment in a list, and its name there. */
export type Placed = Pick<NonReadyEntry, 'order' | 'name'>;

/**
 * The part of one deployment.
 *
 * @param place returns its position in the list; not called if the deployment is Ready
 */
export function liftSummary(
  row: DeploymentRow,
  place: (row: DeploymentRow) => Placed,
): SummaryPart {
  const rank = rankOf(row.state);
  const single = atRank(SINGLE, rank);
  if (rank === 0) return single;
  const { message, modified, nonReady } = row;
  const listed = { ...place(row), message, modified, nonReady };
  return {
    counts: single.counts,
    first: single.first.map((list, index) => (index === rank ? [listed] : list)),
  };
}

function mergeLists(a: SummaryPart['first'], b: SummaryPart['first']): SummaryPart['first'] {
  // Most deployments are Ready and have no entry.
  if (b === EMPTY_SUMMARY.first) return a;
  if (a === EMPTY_SUMMARY.first) return b;
  return a.map((list, rank) => mergeFirst(list, atRank(b, rank), ORDER));
}

/** Merges two parts. */
export function mergeSummaries(a: SummaryPart, b: SummaryPart): SummaryPart {
  return {
    counts: a.counts.map((count, rank) => count + atRank(b.counts, rank)),
    first: mergeLists(a.first, b.first),
  };
}

/** The number of deployments in a state. */
export function countOf({ counts }: SummaryPart, state: BundleState): number {
  return atRank(counts, rankOf(state));
}

/** The first deployments in a state, at most {@link MAX_LISTED}. */
export function firstOf({ first }: SummaryPart, state: BundleState): readonly NonReadyEntry[] {
  return atRank(first, rankOf(state));
}

/** The number of all deployments. */
export function deploymentsIn({ counts }: SummaryPart): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** The worst state of any deployment (Fleet, Status Fields, "State Ranking"), or Ready if there are no deployments. */
export function worstState({ counts }: SummaryPart): BundleState {
  return BUNDLE_STATES[counts.findLastIndex((count) => count > 0)] ?? 'Ready';
}

function listed(state: BundleState, entry: NonReadyEntry): JsonObject {
  const { name, message, modified, nonReady } = entry;
  return {
    ...(name === '' ? {} : { name }),
    bundleState: state,
    ...(message === '' ? {} : { message }),
    ...(modified.length === 0 ? {} : { modifiedStatus: modified }),
    ...(nonReady.length === 0 ? {} : { nonReadyStatus: nonReady }),
  };
}

/** Ten deployments that are not Ready: first one of each state, then the worst ones. The result has the order of their list. */
function nonReadyResources(part: SummaryPart): readonly JsonObject[] {
  const worstFirst = [...NON_READY_STATES].sort((a, b) => rankOf(b) - rankOf(a));
  const found = worstFirst.map((state) =>
    firstOf(part, state).map((entry) => ({ state, entry, order: entry.order })),
  );
  const chosen = [
    ...found.flatMap((list) => list.slice(0, 1)),
    ...found.flatMap((list) => list.slice(1)),
  ];
  return chosen
    .slice(0, MAX_LISTED)
    .sort((a, b) => compareText(a.order, b.order))
    .map(({ state, entry }) => listed(state, entry));
}

/** Fleet's names of the counters that are left out if they are 0, by state. */
const COUNTERS: readonly (readonly [name: string, state: BundleState])[] = [
  ['notReady', 'NotReady'],
  ['waitApplied', 'WaitApplied'],
  ['errApplied', 'ErrApplied'],
  ['outOfSync', 'OutOfSync'],
  ['modified', 'Modified'],
  ['pending', 'Pending'],
];

/** A BundleSummary (Fleet, Status Fields, class diagram; members as in Fleet's code). */
export function summaryJson(part: SummaryPart): JsonObject {
  const summary: Record<string, JsonValue> = {};
  for (const [name, state] of COUNTERS) {
    const count = countOf(part, state);
    if (count > 0) summary[name] = count;
  }
  summary['ready'] = countOf(part, 'Ready');
  summary['desiredReady'] = deploymentsIn(part);
  const list = nonReadyResources(part);
  if (list.length > 0) summary['nonReadyResources'] = list;
  return summary;
}
