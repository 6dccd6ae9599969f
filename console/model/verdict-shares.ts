import type { ExplanationObject } from './api-objects.ts';
import { rankOf, type Verdict } from './verdicts.ts';

/** How many WECs have a verdict, and the names of those that are known by name. */
export interface VerdictShare {
  readonly verdict: Verdict;
  readonly count: number;
  readonly named: readonly string[];
}

/**
 * The verdicts of the WECs on one object, as its explanation counts them, worst first.
 *
 * A WEC without a status that counts has a verdict of its own here, also if it decides: the explanation names it among those
 * that decide, and otherwise counts it as Missing.
 */
export function verdictShares({
  verdict,
  wecs: { tooLarge, missing },
}: Pick<ExplanationObject, 'verdict' | 'wecs'>): readonly VerdictShare[] {
  if (verdict === undefined) return [];
  const { status, decidedBy, others } = verdict;
  const absent = new Set([...tooLarge, ...missing]);
  const deciding = decidedBy.filter((wec) => !absent.has(wec));
  const absentOthers = absent.size - (decidedBy.length - deciding.length);
  const counts = new Map(Object.entries(others) as [Verdict, number][]);
  counts.set('Missing', Math.max(0, (counts.get('Missing') ?? 0) - absentOthers));
  const named = new Map<Verdict, readonly string[]>([
    ['TooLarge', tooLarge],
    ['Missing', missing],
  ]);
  named.set(status, [...(named.get(status) ?? []), ...deciding]);
  return [...new Set([...counts.keys(), ...named.keys()])]
    .map((one) => {
      const names = named.get(one) ?? [];
      return { verdict: one, count: (counts.get(one) ?? 0) + names.length, named: names };
    })
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict));
}
