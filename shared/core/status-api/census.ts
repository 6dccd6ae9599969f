import type { Fold } from '#shared/core/fold/fold.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { createAssessment, type StatusSubject } from './create-wec-status.ts';

/**
 * What is known of a WEC's report from its row alone. Whether a WEC is silent is not in its row, and whether it had the object
 * before is not in a fold: `Absent` is `Missing` or `NotReported`.
 */
export type RowState = 'Reported' | 'TooLarge' | 'Absent';

/** `<health>/<state>`, as in `Degraded/Reported`. The health is `''` if Argo CD has no rule for the kind. */
export type Finding = string;

/**
 * The WECs of a workload object that a reader may look for: all whose report is not as it should be. An object usually has few of
 * them among thousands.
 */
export type Census = {
  /** How many WECs have each finding, without {@link isUnremarkable} ones. */
  readonly counts: Readonly<Record<Finding, number>>;
  /** The first of these WECs by name, with their findings: at most {@link MAX_NAMED}. */
  readonly first: readonly (readonly [wec: string, finding: Finding])[];
};

/** At most so many WECs are named. Of a shard with more of them, all rows are read. */
export const MAX_NAMED = 32;

/** Whether a finding is that of most WECs: the object was reported and is Healthy, or has no health. */
function isUnremarkable(finding: Finding): boolean {
  return finding === 'Healthy/Reported' || finding === '/Reported';
}

/** The health and the state of a finding. */
export function partsOf(finding: Finding): { readonly health: string; readonly state: RowState } {
  const slash = finding.indexOf('/');
  // Only this file makes findings.
  return { health: finding.slice(0, slash), state: finding.slice(slash + 1) as RowState };
}

/** Whether all of the WECs of a census are named. */
export function isComplete({ counts, first }: Census): boolean {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) === first.length;
}

const NOBODY: Census = { counts: {}, first: [] };

function stateOf({ row, oversizedBytes }: PerWecRow): RowState {
  if (oversizedBytes !== undefined) return 'TooLarge';
  return row === undefined ? 'Absent' : 'Reported';
}

function merge(a: Census, b: Census): Census {
  if (a.first.length === 0) return b;
  if (b.first.length === 0) return a;
  const counts: Record<Finding, number> = { ...a.counts };
  for (const [finding, count] of Object.entries(b.counts))
    counts[finding] = (counts[finding] ?? 0) + count;
  const first = [...a.first, ...b.first].sort(([x], [y]) => (x < y ? -1 : 1));
  return { counts, first: first.slice(0, MAX_NAMED) };
}

/** The fold that finds the WECs whose reports a reader may look for, by the health and the state that the API shows of them. */
export function censusFold(subject: StatusSubject): Fold<PerWecRow, Census, Census> {
  const assess = createAssessment(subject);
  return {
    empty: NOBODY,
    lift(row) {
      // The API shows what a WEC reported last, also where it no longer counts.
      const { uncounted = row, wec } = row;
      const finding = `${assess(uncounted)?.status ?? ''}/${stateOf(uncounted)}`;
      if (isUnremarkable(finding)) return NOBODY;
      return { counts: { [finding]: 1 }, first: [[wec, finding]] };
    },
    merge,
    finish: (part) => part,
  };
}
