import { ARGO_CD_ORDER } from '#shared/core/health/verdict.ts';
import { WEC_STATES } from '#shared/core/status-api/wec-status.ts';
import type { Explanation } from './explanation.ts';

/** What a verdict means for the reader. Each family has one colour, and one height in a spectrum. */
export type Family = 'bad' | 'absent' | 'moving' | 'rest' | 'fine';

/** How a verdict is shown. */
interface Shown {
  readonly family: Family;
  readonly word: string;
}

/**
 * The verdicts, worst first: Argo CD's, and what is known where Argo CD says nothing. `Reported` is a report of a kind for which
 * Argo CD has no rule. Other than in Argo CD's own order, what is known to be bad is worse than what is not known.
 */
export const VERDICTS = {
  Degraded: { family: 'bad', word: 'Degraded' },
  TooLarge: { family: 'bad', word: 'Too large' },
  Refused: { family: 'bad', word: 'Refused' },
  Unknown: { family: 'absent', word: 'Unknown' },
  Missing: { family: 'absent', word: 'Missing' },
  Silent: { family: 'absent', word: 'Silent' },
  NotReported: { family: 'absent', word: 'Not reported' },
  Progressing: { family: 'moving', word: 'Progressing' },
  Suspended: { family: 'rest', word: 'Suspended' },
  Reported: { family: 'fine', word: 'Reported' },
  Healthy: { family: 'fine', word: 'Healthy' },
} as const satisfies Readonly<Record<string, Shown>>;

/** The name of a verdict. */
export type Verdict = keyof typeof VERDICTS;

/** What a filter by a family is called. */
export const FAMILY_WORDS: Readonly<Record<Family, string>> = {
  bad: 'broken',
  absent: 'missing somewhere',
  moving: 'on their way',
  rest: 'suspended',
  fine: 'as asked',
};

/** All verdicts, worst first. */
export const WORST_FIRST = Object.keys(VERDICTS) as readonly Verdict[];

/** The rank of a verdict: 0 is the worst. */
export function rankOf(verdict: Verdict): number {
  return WORST_FIRST.indexOf(verdict);
}

/** The worst of some verdicts. `Reported` if there are none. */
export function worstOf(verdicts: readonly Verdict[]): Verdict {
  const [first = 'Reported', ...others] = verdicts;
  return others.reduce((worst, one) => (rankOf(one) < rankOf(worst) ? one : worst), first);
}

/** Whether something is not as asked. */
export function isAmiss(verdict: Verdict): boolean {
  const { family } = VERDICTS[verdict];
  return family !== 'fine' && family !== 'rest';
}

/** The verdict of a health. One that this version does not know is `Unknown`. */
export function verdictOfHealth(health: string): Verdict {
  return ARGO_CD_ORDER.find((one) => one === health) ?? 'Unknown';
}

/**
 * What is said about one WEC's report. A report that does not count has the verdict of its state, otherwise Argo CD's.
 *
 * @param health Argo CD's verdict. Undefined if Argo CD has no rule for the kind
 */
export function verdictOfReport(state: string, health: string | undefined): Verdict {
  const known = WEC_STATES.find((one) => one === state) ?? 'Reported';
  if (known !== 'Reported') return known;
  return health === undefined ? 'Reported' : verdictOfHealth(health);
}

/**
 * What is said about a workload object: the worst of Argo CD's verdict, of reports that could not be kept or are missing, and of
 * refusals. A silent WEC does not count, because what it last said still does.
 */
export function verdictOfWorkload({
  verdict,
  wecs,
  refused = [],
}: Pick<Explanation, 'verdict' | 'wecs' | 'refused'>): Verdict {
  const said: Verdict[] = [verdict?.status ?? 'Reported'];
  if (refused.length > 0) said.push('Refused');
  if (wecs.tooLarge.length > 0) said.push('TooLarge');
  if (wecs.missing.length > 0) said.push('Missing');
  return worstOf(said);
}

/** How many there are of each verdict, worst first, without those that nobody has. */
export function countVerdicts(verdicts: Iterable<Verdict>): ReadonlyMap<Verdict, number> {
  const counts = new Map<Verdict, number>();
  for (const verdict of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => rankOf(a) - rankOf(b)));
}
