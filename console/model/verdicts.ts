import type { ExplanationObject, WecStatusObject } from './api-objects.ts';

/** What a verdict means for the reader. Each family has one hue. */
export type Family = 'bad' | 'absent' | 'moving' | 'rest' | 'fine';

/** What is shown of a verdict. */
interface Shown {
  readonly family: Family;
  readonly word: string;
}

/**
 * The verdicts, worst first: Argo CD's, and what is known where Argo CD says nothing. `Reported` is a report of a kind for which
 * Argo CD has no rule.
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

const RANKS = new Map(WORST_FIRST.map((verdict, rank) => [verdict, rank]));

/** The rank of a verdict: 0 is the worst. */
export function rankOf(verdict: Verdict): number {
  return RANKS.get(verdict) ?? 0;
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

/** What is said about one WEC's report. A report that does not count has the verdict of its state, otherwise Argo CD's. */
export function verdictOfWec({
  state,
  health,
}: Pick<WecStatusObject, 'state' | 'health'>): Verdict {
  if (state !== 'Reported') return state;
  return health?.status ?? 'Reported';
}

/**
 * What is said about a workload object: the worst of Argo CD's verdict, of reports that could not be kept or are missing, and of
 * refusals. A silent WEC does not count, because what it last said still does.
 */
export function verdictOfWorkload({
  verdict,
  wecs,
  refused = [],
}: Pick<ExplanationObject, 'verdict' | 'wecs' | 'refused'>): Verdict {
  const said: Verdict[] = [verdict?.status ?? 'Reported'];
  if (refused.length > 0) said.push('Refused');
  if (wecs.tooLarge.length > 0) said.push('TooLarge');
  if (wecs.missing.length > 0) said.push('Missing');
  return worstOf(said);
}

/** How many there are of each verdict, worst first. */
export function countVerdicts(verdicts: Iterable<Verdict>): ReadonlyMap<Verdict, number> {
  const counts = new Map<Verdict, number>();
  for (const verdict of verdicts) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return new Map([...counts].sort(([a], [b]) => rankOf(a) - rankOf(b)));
}
