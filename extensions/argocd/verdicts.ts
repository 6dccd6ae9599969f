import type { WecRow } from './wec-rows.ts';

/**
 * What is shown of a WEC, worst first: Argo CD's verdict on its object, or, if nothing can be judged, why. `Reported` is a report of
 * a kind for which Argo CD has no rule.
 */
export const SHOWN_VERDICTS = [
  'Unknown',
  'Degraded',
  'Too large',
  'Missing',
  'Not reported',
  'Silent',
  'Progressing',
  'Suspended',
  'Reported',
  'Healthy',
] as const;

/** One of {@link SHOWN_VERDICTS}. */
export type ShownVerdict = (typeof SHOWN_VERDICTS)[number];

/** What a verdict means. Each family has a colour, and a height in the spectrum. */
export type Family = 'bad' | 'absent' | 'moving' | 'rest' | 'fine';

const FAMILIES: Readonly<Record<ShownVerdict, Family>> = {
  Unknown: 'absent',
  Degraded: 'bad',
  'Too large': 'bad',
  Missing: 'absent',
  'Not reported': 'absent',
  Silent: 'absent',
  Progressing: 'moving',
  Suspended: 'rest',
  Reported: 'rest',
  Healthy: 'fine',
};

/** The families from worst to best. */
export const FAMILY_ORDER: readonly Family[] = ['bad', 'absent', 'moving', 'rest', 'fine'];

/** The family of a verdict. */
export function familyOf(verdict: ShownVerdict): Family {
  return FAMILIES[verdict];
}

/** A verdict of Argo CD that this version of the tab does not know is Unknown. */
export function shownHealth(health: string): ShownVerdict {
  return SHOWN_VERDICTS.find((verdict) => verdict === health) ?? 'Unknown';
}

/** The last verdict on a silent WEC that is worse than its silence. */
function worseThanSilence(health: string | undefined): ShownVerdict | undefined {
  return health === 'Degraded' || health === 'Unknown' ? health : undefined;
}

/** What is shown of a WEC. The last word of a silent WEC counts if it is worse than the silence. */
export function verdictOf({ state, health }: Pick<WecRow, 'state' | 'health'>): ShownVerdict {
  switch (state) {
    case 'Silent':
      return worseThanSilence(health) ?? 'Silent';
    case 'TooLarge':
      return 'Too large';
    case 'Missing':
      return 'Missing';
    case 'NotReported':
      return 'Not reported';
    default:
      return health === undefined ? 'Reported' : shownHealth(health);
  }
}

/** How bad a verdict is: 0 is the worst. */
export function rankOf(verdict: ShownVerdict): number {
  return SHOWN_VERDICTS.indexOf(verdict);
}

/** The WECs worst first; those with the same verdict by name. */
export function worstFirst(rows: readonly WecRow[]): readonly WecRow[] {
  return rows.toSorted((a, b) => {
    const order = rankOf(verdictOf(a)) - rankOf(verdictOf(b));
    if (order !== 0) return order;
    return a.wec < b.wec ? -1 : 1;
  });
}

/** How many WECs have each verdict, worst first, without those that none has. */
export function countVerdicts(
  rows: readonly WecRow[],
): readonly (readonly [verdict: ShownVerdict, count: number])[] {
  const counts = new Map<ShownVerdict, number>();
  for (const row of rows) {
    const verdict = verdictOf(row);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  return SHOWN_VERDICTS.flatMap((verdict) => {
    const count = counts.get(verdict);
    return count === undefined ? [] : [[verdict, count] as const];
  });
}
